package io.holdfast.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The way to a server on this host, which can be led to another one, cut, and blocked in each direction. */
final class Wire implements AutoCloseable {

    private static final long STEP_NANOS = 1_000_000;

    private final ServerSocket entrance;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile int server;
    private final AtomicInteger connections = new AtomicInteger();
    private volatile int answersOfNewOnes = Integer.MAX_VALUE;
    private volatile boolean requestsBlocked;
    private volatile boolean answersBlocked;

    Wire(int server) {
        this.server = server;
        try {
            entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    int port() {
        return entrance.getLocalPort();
    }

    String uri() {
        return "redis://127.0.0.1:" + port();
    }

    /** Where connections go from now on; those that are open stay. */
    void leadTo(int other) {
        server = other;
    }

    /** Cuts all that is open. */
    void cut() {
        sockets.forEach(Wire::close);
    }

    /** Connections from now on get so many pieces of answers, and then no more. */
    void silenceNewOnesAfter(int answers) {
        answersOfNewOnes = answers;
    }

    /** How many there were. */
    int connections() {
        return connections.get();
    }

    void blockRequests(boolean on) {
        requestsBlocked = on;
    }

    void blockAnswers(boolean on) {
        answersBlocked = on;
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "wire");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                connect(entrance.accept());
            }
        } catch (IOException e) {
            cut();
        }
    }

    private void connect(Socket client) {
        sockets.add(client);
        connections.incrementAndGet();
        int answers = answersOfNewOnes;
        try {
            Socket there = new Socket(InetAddress.getLoopbackAddress(), server);
            sockets.add(there);
            start(() -> pass(client, there, true, Integer.MAX_VALUE));
            start(() -> pass(there, client, false, answers));
        } catch (IOException e) {
            // nothing listens there
            close(client);
        }
    }

    private void pass(Socket from, Socket to, boolean requests, int pieces) {
        int left = pieces;
        byte[] buffer = new byte[65_536];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
                while ((left == 0 || (requests ? requestsBlocked : answersBlocked)) && !to.isClosed()) {
                    LockSupport.parkNanos(STEP_NANOS);
                }
                left--;
                to.getOutputStream().write(buffer, 0, length);
            }
        } catch (IOException e) {
            // the other direction has closed both, or the way was cut
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            entrance.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }
}
