package io.holdfast.etcd.connection;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The settings of a connection.
 *
 * @param servers the servers, each as host:port
 * @param login the user and password; empty for none
 * @param tls the files of TLS; empty for a connection without TLS
 * @param root the beginning of all keys
 * @param session the requested life of the session without a sign of life
 */
public record Settings(List<String> servers, Optional<Login> login, Optional<Tls> tls, String root, Duration session) {

    /** A user and a password. */
    public record Login(String user, String password) {

        /** Returns the user, because a generated text would have the password. */
        @Override
        public String toString() {
            return user;
        }
    }

    /**
     * The files of TLS, in the format PEM.
     *
     * @param authority the certificates of the authorities to trust; empty for those of the JDK
     * @param certificate the certificate of the client; empty for none
     * @param key the key of the client's certificate
     */
    public record Tls(Optional<Path> authority, Optional<Path> certificate, Optional<Path> key) {}

    /** Returns the address for texts, without the password. */
    public String address() {
        return "etcd at " + String.join(",", servers) + "/" + root;
    }
}
