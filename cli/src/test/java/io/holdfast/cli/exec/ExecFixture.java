package io.holdfast.cli.exec;

import static io.holdfast.cli.exec.Await.await;

import io.holdfast.Holdfast;
import io.holdfast.embedded.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server, another client of it, and the processes of one test, which end with it. */
@Timeout(600)
abstract class ExecFixture {

    static RedisServer server;
    static Holdfast other;

    @TempDir
    Path temp;

    final List<Child> children = new ArrayList<>();

    @BeforeAll
    static void connect() {
        server = RedisServer.start();
        other = connect(server.uri());
    }

    /** A client that is patient with a busy host. */
    static Holdfast connect(String uri) {
        return Holdfast.builder()
                .uri(uri)
                .connectTimeout(Duration.ofMinutes(1))
                .commandTimeout(Duration.ofSeconds(10))
                .build();
    }

    @AfterAll
    static void disconnect() {
        other.close();
        server.close();
    }

    @AfterEach
    void end() {
        children.forEach(Child::close);
    }

    Child exec(String lock, String... command) throws IOException {
        return start(
                server.uri(),
                Stream.concat(Stream.of("--lock", lock, "--"), Arrays.stream(command))
                        .toArray(String[]::new));
    }

    Child start(String store, String... args) throws IOException {
        return startUnder(List.of(), store, args);
    }

    Child startUnder(List<String> prefix, String store, String... args) throws IOException {
        Child child = Child.start(temp, store, prefix, args);
        children.add(child);
        return child;
    }

    /** Waits until so many processes wait for the lock. */
    void awaitWaiters(Holdfast client, String lock, int count) throws Exception {
        await(count + " waiters", () -> {
            for (Child child : children) {
                child.restartIfUnanswered();
            }
            return client.inspect(lock).waiters().size() == count;
        });
    }
}
