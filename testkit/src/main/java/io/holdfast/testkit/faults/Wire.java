package io.holdfast.testkit.faults;

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
import java.util.function.BooleanSupplier;

/**
 * The way to a real server on this host, which can be led to another one, cut, and blocked in each direction. What it counts as
 * an answer is a piece of data as it comes from the server.
 */
public final class Wire implements AutoCloseable {

    private static final int NEVER = -1;
    private static final long STEP_NANOS = 1_000_000;

    private final ServerSocket entrance;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger answersLeft = new AtomicInteger(NEVER);
    private volatile int server;
    private volatile int answersOfNewOnes = NEVER;
    private volatile boolean requestsBlocked;
    private volatile boolean answersBlocked;

    /**
     * A way to the server on that port of the loopback address.
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

    /** Where clients connect to, on the loopback address. */
    public int port() {
        return entrance.getLocalPort();
    }

    /** How many connections there were. */
    public int connections() {
        return connections.get();
    }

    /** Where connections go from now on; those that are open stay. */
    public void leadTo(int other) {
        server = other;
    }

    /** Cuts all that is open. */
    public void cut() {
        sockets.forEach(Wire::close);
    }

    /** Lets so many answers through, then cuts the connection instead of passing on the next. */
    public void cutAfter(int answers) {
        answersLeft.set(answers);
    }

    /** Cuts no more; says whether it did. */
    public boolean mend() {
        return answersLeft.getAndSet(NEVER) == NEVER;
    }

    /** Connections from now on get so many answers, and then no more; {@link #mendNewOnes} ends that. */
    public void silenceNewOnesAfter(int answers) {
        answersOfNewOnes = answers;
    }

    /** Connections from now on get all answers. */
    public void mendNewOnes() {
        answersOfNewOnes = NEVER;
    }

    /** Holds back what clients send, until it is let through again. */
    public void blockRequests(boolean on) {
        requestsBlocked = on;
    }

    /** Holds back what the server sends, until it is let through again. */
    public void blockAnswers(boolean on) {
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
            start(() -> passRequests(client, there));
            start(() -> passAnswers(there, client, answers));
        } catch (IOException e) {
            // nothing listens there
            close(client);
        }
    }

    private void passRequests(Socket client, Socket there) {
        pass(client, there, () -> {
            waitWhile(() -> requestsBlocked, there);
            return true;
        });
    }

    private void passAnswers(Socket there, Socket client, int most) {
        AtomicInteger left = new AtomicInteger(most);
        pass(there, client, () -> {
            boolean silent = left.getAndUpdate(Wire::oneLess) == 0;
            waitWhile(() -> silent || answersBlocked, client);
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

    /** Until one side closes, or a piece is not to be passed on. */
    private static void pass(Socket from, Socket to, BooleanSupplier goesThrough) {
        byte[] buffer = new byte[65_536];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
                if (!goesThrough.getAsBoolean()) {
                    return;
                }
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

    /** Cuts all, and listens no more. */
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
