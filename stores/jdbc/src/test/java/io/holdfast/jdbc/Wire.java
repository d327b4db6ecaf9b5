package io.holdfast.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** The way to a server on this host, which can be cut just before an answer comes through. */
final class Wire implements AutoCloseable {

    private static final int NEVER = -1;

    private final int server;
    private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger answersLeft = new AtomicInteger(NEVER);

    Wire(int server) throws IOException {
        this.server = server;
        start(this::accept);
    }

    int port() {
        return entrance.getLocalPort();
    }

    /** Lets so many answers through, then cuts the connection instead of passing on the next. */
    void cutAfter(int answers) {
        answersLeft.set(answers);
    }

    /** Cuts no more; says whether it did. */
    boolean mend() {
        return answersLeft.getAndSet(NEVER) == NEVER;
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "wire");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = entrance.accept();
                Socket there = new Socket(InetAddress.getLoopbackAddress(), server);
                sockets.addAll(List.of(client, there));
                start(() -> pass(client, there, false));
                start(() -> pass(there, client, true));
            }
        } catch (IOException e) {
            closeAll();
        }
    }

    private void pass(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[65_536];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
                if (answers && cutsNow()) {
                    return;
                }
                to.getOutputStream().write(buffer, 0, length);
            }
        } catch (IOException e) {
            // the other direction has closed both
        }
    }

    private boolean cutsNow() {
        return answersLeft.getAndUpdate(left -> left == NEVER ? NEVER : left - 1) == 0;
    }

    private void closeAll() {
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        entrance.close();
        closeAll();
    }
}
