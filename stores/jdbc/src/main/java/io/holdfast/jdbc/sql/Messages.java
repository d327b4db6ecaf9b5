package io.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The messages that a database carries between its clients. A message that nobody receives when it is sent is lost. */
public interface Messages {

    /** The maximum length of an {@linkplain Message#encoded encoded} text. */
    int MOST_BYTES = 7_999;

    /**
     * Begins to receive the messages to a client on a connection, which is used for nothing else from then on.
     *
     * @return the run of the server, as {@link Row#run}
     * @throws java.sql.SQLFeatureNotSupportedException if this connection delivers no messages
     */
    long listen(Connection connection, String clientId) throws SQLException;

    /** Ends what {@link #listen} has begun. The connection may have listened to messages of its other users before, and still does. */
    void unlisten(Connection connection, String clientId) throws SQLException;

    /**
     * Waits for messages, and returns their texts. Returns an empty list if none has come in time.
     *
     * @param millis the maximum time to wait
     */
    List<String> receive(Connection connection, int millis) throws SQLException;

    /** Sends a message. */
    void send(Connection connection, Message message) throws SQLException;
}
