package io.holdfast.jdbc;

import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.StoreUnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that holds a lock when it is told to, and tells for how long it believes to. Its arguments are the address and the lease, in
 * seconds. Times are of the host's one clock.
 */
final class FileWorker {

    static final String LOCK = "lock";

    private static final long TICK_NANOS = 20_000_000;

    /** A cold JVM beside others on a busy machine loads its classes in this time, too. */
    private static final Duration START_LIMIT = Duration.ofMinutes(1);

    private FileWorker() {}

    public static void main(String[] args) throws Exception {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Holdfast client = Holdfast.builder()
                .uri(args[0])
                .lease(Duration.ofSeconds(Long.parseLong(args[1])))
                .connectTimeout(START_LIMIT)
                .pollInterval(Duration.ofMillis(200))
                .listener(FileWorker::heard)
                .build()) {
            say("ready", 0, 0);
            while (orders.readLine() != null) {
                hold(client, orders);
            }
        }
    }

    private static void heard(LockEvent event) {
        if (event instanceof LockEvent.Lost lost) {
            say("lost", lost.fencingToken(), System.nanoTime());
        }
    }

    private static void hold(Holdfast client, BufferedReader orders) throws IOException, InterruptedException {
        try (Lease lease = acquire(client)) {
            say("granted", lease.fencingToken(), System.nanoTime());
            while (!orders.ready() && lease.isValid()) {
                long now = System.nanoTime();
                say("valid", lease.fencingToken(), now + lease.remainingLease().toNanos());
                LockSupport.parkNanos(TICK_NANOS);
            }
            if (lease.isValid()) {
                say("released", lease.fencingToken(), System.nanoTime());
                orders.readLine();
            }
        }
    }

    private static Lease acquire(Holdfast client) throws InterruptedException {
        while (true) {
            try {
                return client.lock(LOCK).acquire();
            } catch (StoreUnavailableException | IndeterminateLockException e) {
                // nobody serves the file yet
                say("unavailable", 0, System.nanoTime());
            }
        }
    }

    private static void say(String what, long token, long nanos) {
        System.out.println(what + " " + token + " " + nanos);
    }
}
