package io.holdfast.testkit.faults;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A path to a real server on this host. It can be redirected to another server, cut, and blocked in each direction, and it can
 * record what clients send. One answer is one piece of data as it arrives from the server.
 */
public final class Wire implements AutoCloseable {

    private static final int NEVER = -1;
    private static final long STEP_NANOS = 1_000_000;

    private final ServerSocket entrance;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger answersLeft = new AtomicInteger(NEVER);
    private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();
    private volatile int server;
    private volatile int answersOfNewOnes = NEVER;
    private volatile boolean requestsBlocked;
    private volatile boolean onePiece;
    private volatile boolean recording;
    private volatile boolean answersBlocked;
    private volatile long answerDelayNanos;

    /**
     * Creates a path to the server on the given port of the loopback address.
     *
     * @throws UncheckedIOException if no port is free
     */
    public Wire(int server) {
        this.server = server;
        try {
            entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    /** Returns the port on the loopback address to which clients connect. */
    public int port() {
        return entrance.getLocalPort();
    }

    /** Returns the number of connections so far. */
    public int connections() {
        return connections.get();
    }

    /** Redirects new connections. Open connections stay. */
    public void leadTo(int other) {
        server = other;
    }

    /** Cuts all open connections. */
    public void cut() {
        sockets.forEach(Wire::close);
    }

    /** Passes the given number of answers on, then cuts the connection instead of passing on the next one. */
    public void cutAfter(int answers) {
        answersLeft.set(answers);
    }

    /** Ends the cutting. Returns {@code true} if a connection was cut. */
    public boolean mend() {
        return answersLeft.getAndSet(NEVER) == NEVER;
    }

    /** Limits each new connection to the given number of answers, until {@link #mendNewOnes} is called. */
    public void silenceNewOnesAfter(int answers) {
        answersOfNewOnes = answers;
    }

    /** Passes all answers on to new connections. */
    public void mendNewOnes() {
        answersOfNewOnes = NEVER;
    }

    /** Blocks or unblocks the data that clients send. Blocked data is passed on later. */
    public void blockRequests(boolean on) {
        requestsBlocked = on;
    }

    /**
     * Unblocks the data that clients have sent, but passes on only one piece of each connection. What was sent after it, such as
     * the end of the connection, never arrives. So a request arrives that its client has given up.
     */
    public void unblockOnePiece() {
        onePiece = true;
        requestsBlocked = false;
    }

    /** Records the data that clients send from now on, and forgets what was recorded before. */
    public void recordRequests() {
        recorded.reset();
        recording = true;
    }

    /** Returns the data that was recorded, in the order of its arrival. */
    public byte[] recordedRequests() {
        return recorded.toByteArray();
    }

    /** Blocks or unblocks the data that the server sends. Blocked data is passed on later. */
    public void blockAnswers(boolean on) {
        answersBlocked = on;
    }

    /** Passes each piece of what the server sends on after that time. */
    public void delayAnswers(Duration time) {
        answerDelayNanos = time.toNanos();
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
            start(() -> passRequests(client, there));
            start(() -> passAnswers(there, client, answers));
        } catch (IOException e) {
            // no server listens on that port
            close(client);
        }
    }

    private void passRequests(Socket client, Socket there) {
        AtomicBoolean blocked = new AtomicBoolean();
        pass(client, there, (piece, length) -> {
            if (recording) {
                recorded.write(piece, 0, length);
            }
            waitWhile(() -> onePiece && blocked.get(), there);
            blocked.set(requestsBlocked);
            waitWhile(() -> requestsBlocked, there);
            return true;
        });
    }

    private void passAnswers(Socket there, Socket client, int most) {
        AtomicInteger left = new AtomicInteger(most);
        pass(there, client, (piece, length) -> {
            boolean silent = left.getAndUpdate(Wire::oneLess) == 0;
            long until = System.nanoTime() + answerDelayNanos;
            waitWhile(() -> silent || answersBlocked || until - System.nanoTime() > 0, client);
            return answersLeft.getAndUpdate(Wire::oneLess) != 0;
        });
    }

    private static int oneLess(int left) {
        return left == NEVER ? NEVER : left - 1;
    }

    private static void waitWhile(BooleanSupplier blocked, Socket to) {
        while (blocked.getAsBoolean() && !to.isClosed()) {
            LockSupport.parkNanos(STEP_NANOS);
        }
    }

    /** Decides about the pieces of data of one direction. */
    private interface Gate {

        /** Returns {@code true} if a piece of data, the beginning of the array, is passed on. May wait before. */
        boolean passes(byte[] piece, int length);
    }

    /** Passes data on until one side closes, or a piece must not be passed on. */
    private static void pass(Socket from, Socket to, Gate gate) {
        byte[] buffer = new byte[65_536];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
                if (!gate.passes(buffer, length)) {
                    return;
                }
                to.getOutputStream().write(buffer, 0, length);
            }
        } catch (IOException e) {
            // the other direction has closed both, or the path was cut
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Cuts all connections, and stops listening. */
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
