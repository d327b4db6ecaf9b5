package io.holdfast.spring.integration;

import io.holdfast.Holdfast;
import io.holdfast.embedded.redis.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two clients of a real Redis, each with a registry. */
abstract class RedisRules {

    RedisServer server;
    Holdfast hereClient;
    Holdfast thereClient;
    HoldfastLockRegistry here;
    HoldfastLockRegistry there;

    @BeforeEach
    void connect() {
        server = RedisServer.start();
        hereClient = client();
        thereClient = client();
        here = new HoldfastLockRegistry(hereClient, "keys/");
        there = new HoldfastLockRegistry(thereClient, "keys/");
    }

    @AfterEach
    void close() {
        hereClient.close();
        thereClient.close();
        server.close();
    }

    private Holdfast client() {
        return Holdfast.connect(server.uri());
    }

    /** Deletes all data of the server. Its clients do not notice. */
    void deleteAll() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write("FLUSHALL\r\n".getBytes(StandardCharsets.US_ASCII));
            if (socket.getInputStream().read() != '+') {
                throw new IOException("the server refused to delete its data");
            }
        }
    }
}
