package io.holdfast.embedded.redis;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** As much of the Redis protocol as a test needs: one connection, commands of words, replies of one line. */
final class Resp implements AutoCloseable {

    private final Socket socket;
    private final BufferedReader in;

    private Resp(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    static Resp connect(int port) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(Loopback.address(), port), 2000);
        socket.setSoTimeout(10_000);
        return new Resp(socket);
    }

    /** One command over a connection of its own. */
    static String call(int port, String... words) throws IOException {
        try (Resp resp = connect(port)) {
            return resp.call(words);
        }
    }

    String call(String... words) throws IOException {
        send(words);
        return receive();
    }

    void send(String... words) throws IOException {
        StringBuilder command = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            command.append('$')
                    .append(word.length())
                    .append("\r\n")
                    .append(word)
                    .append("\r\n");
        }
        socket.getOutputStream().write(command.toString().getBytes(StandardCharsets.US_ASCII));
    }

    /** The next reply: the text of a string, or the line of any other one with its leading character. */
    String receive() throws IOException {
        String line = line();
        return line.startsWith("$") && !line.equals("$-1") ? line() : line;
    }

    private String line() throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw new EOFException("the server has closed the connection");
        }
        return line;
    }

    void timeout(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
