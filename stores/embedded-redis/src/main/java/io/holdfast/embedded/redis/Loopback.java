package io.holdfast.embedded.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Two checks of ports on 127.0.0.1. */
final class Loopback {

    static final String HOST = "127.0.0.1";

    private static final byte[] PING = "PING\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int PATIENCE_MILLIS = 1000;

    private Loopback() {}

    /** Returns a port that was free a moment ago. Another process may bind it before it is used. */
    static int freePort() {
        try (ServerSocket probe = new ServerSocket(0, 1, address())) {
            return probe.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("no free port on " + HOST, e);
        }
    }

    /**
     * Returns {@code true} if a Redis server answers a PING at the port. A refusal ({@code -LOADING}, {@code -NOAUTH}) is an
     * answer, too. An echo is not an answer, because a connection that has connected to itself returns an echo.
     */
    static boolean answersPing(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address(), port), PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(PING);
            int kind = socket.getInputStream().read();
            return kind == '+' || kind == '-';
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the address by its bytes, because the JVM's loopback address may be that of IPv6. */
    static InetAddress address() throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    }
}
