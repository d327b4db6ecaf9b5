package io.holdfast.mongodb;

import com.mongodb.ConnectionString;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * The server of the tests: a server of the user, which the system property {@code holdfast.mongodb.uri} names, or else a program
 * that speaks the protocol of MongoDB, in this process. The latter is not MongoDB.
 */
final class Servers {

    private static final String USERS = System.getProperty("holdfast.mongodb.uri", "");

    private Servers() {}

    /** Returns the URI of a database that the tests may change. */
    static String uri() {
        return USERS.isEmpty() ? "mongodb://127.0.0.1:" + port() + "/holdfast_test" : USERS;
    }

    /** Returns the URI of a further database that the tests may change. Its name begins like that of {@link #uri()}. */
    static String uri(String suffix) {
        String database = Objects.requireNonNull(new ConnectionString(uri()).getDatabase());
        return uri().replaceFirst("/" + database + "(?=$|\\?)", "/" + database + "_" + suffix);
    }

    /** Returns the port of the server in this process. */
    static int port() {
        return InProcess.ADDRESS.getPort();
    }

    static MongoClient client() {
        return MongoClients.create(uri());
    }

    private static final class InProcess {
        private static final InetSocketAddress ADDRESS = start();

        private static InetSocketAddress start() {
            MongoServer server = new MongoServer(new MemoryBackend());
            // its updates are not atomic if it has several threads
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1, 1);
            return server.getLocalAddress();
        }
    }
}
