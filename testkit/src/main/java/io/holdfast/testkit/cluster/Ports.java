package io.holdfast.testkit.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers that cannot choose one by themselves.
 *
 * <p>They are below the range from which systems choose the local port of an outgoing connection, and the port of a server that
 * asks for any. So no other process is given a port before its server listens, which can take seconds on a busy machine.
 */
public final class Ports {

    private static final int FIRST = 10_000;
    private static final int END = 32_768;
    private static final int ATTEMPTS = 1_000;

    private Ports() {}

    /** Returns a port of the loopback interface at which no server listens. */
    public static int free() {
        return free(1).get(0);
    }

    /** Returns different ports of the loopback interface at which no server listens. */
    public static List<Integer> free(int count) {
        List<Integer> ports = ThreadLocalRandom.current()
                .ints(ATTEMPTS, FIRST, END)
                .distinct()
                .filter(Ports::isFree)
                .limit(count)
                .boxed()
                .toList();
        if (ports.size() < count) {
            throw new AssertionError("only " + ports.size() + " of " + count + " ports are free");
        }
        return ports;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
