package io.holdfast.jdbc.sql;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * A message to a client, which the database sends when it has written.
 *
 * @param clientId the client that receives it
 * @param text the message
 */
public record Message(String clientId, String text) {

    /**
     * Returns the text in ASCII (percent-encoding, RFC 3986). A name may have characters that a text of the database cannot: no
     * text of PostgreSQL has a NUL, and the encoding of the database may lack others. The statement that writes the record sends the
     * message, so one that cannot be sent would undo the write.
     */
    public String encoded() {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** Returns the text of a message as it was received. One that no client has encoded is returned as it is. */
    static String decoded(String received) {
        try {
            return URLDecoder.decode(received, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // every user of the database may send messages; this one is reported as unreadable, or is a hint like any
            // other
            return received;
        }
    }
}
