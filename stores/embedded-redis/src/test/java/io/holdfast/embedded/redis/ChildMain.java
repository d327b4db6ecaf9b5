package io.holdfast.embedded.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A program that starts a server and never stops it. Its arguments are a way to end and, if wanted, a folder for data;
 * it prints process id, port and home of the server, then waits for the end of its input.
 */
final class ChildMain {

    private ChildMain() {}

    public static void main(String[] args) throws IOException {
        RedisServer.Builder wish = RedisServer.builder();
        if (args.length > 1) {
            wish.dir(Path.of(args[1]));
        }
        if (args[0].equals("fail")) {
            wish.args("--no-such-option", "1");
        }
        RedisServer server = wish.start();
        prepare(args[0], server);
        System.out.println(server.pid() + " " + server.port() + " " + server.home());
        if (System.in.read() < 0) {
            end(args[0]);
        }
    }

    private static void prepare(String way, RedisServer server) {
        switch (way) {
            case "paused" -> server.pause();
            case "killed" -> server.kill();
            case "restarted" -> server.restart();
            case "hook" -> Runtime.getRuntime().addShutdownHook(new Thread(() -> tell(server)));
            default -> {}
        }
    }

    private static void tell(RedisServer server) {
        server.awaitReady();
        System.out.println(logOf(server).contains("SIGTERM") ? "about to go" : "untouched");
    }

    private static String logOf(RedisServer server) {
        try {
            return Files.readString(server.dir().resolve("redis.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void end(String way) {
        switch (way) {
            case "halt" -> Runtime.getRuntime().halt(0);
            case "throw" -> throw new IllegalStateException("thrown on purpose");
            default -> System.exit(0);
        }
    }
}
