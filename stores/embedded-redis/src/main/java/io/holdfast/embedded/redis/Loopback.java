package io.holdfast.embedded.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** The two questions that are asked of ports on 127.0.0.1. */
final class Loopback {

    static final String HOST = "127.0.0.1";

    private static final byte[] PING = "PING\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int PATIENCE_MILLIS = 1000;

    private Loopback() {}

    /** A port that was free a moment ago; another process may take it before it is used. */
    static int freePort() {
        try (ServerSocket probe = new ServerSocket(0, 1, address())) {
            return probe.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("no free port on " + HOST, e);
        }
    }

    /**
     * Whether a Redis server answers a PING there. A refusal ({@code -LOADING}, {@code -NOAUTH}) is an answer, too; an
     * echo is not, which is what a connection that met itself would give.
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

    /** By its bytes: the JVM's own idea of loopback may be the one of IPv6. */
    static InetAddress address() throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    }
}
