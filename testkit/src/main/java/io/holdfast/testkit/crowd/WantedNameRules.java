package io.holdfast.testkit.crowd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * A client holds a name that a crowd of other clients wants.
 *
 * <ul>
 *   <li>If they want it for a short time each, again and again, it keeps the name for {@code holdfast.crowd.seconds}, and no call of
 *       the crowd fails.
 *   <li>If they wait for it, each of them is served once it is released, and no call fails.
 * </ul>
 *
 * <p>{@code holdfast.crowd.clients} replaces the sizes of the crowds.
 */
public abstract class WantedNameRules {

    private static final Duration WAIT = Duration.ofMillis(150);

    /** The time in which all clients of a crowd are served. */
    private static final Duration TURNS = Duration.ofSeconds(60);

    private static final int SECONDS = Integer.getInteger("holdfast.crowd.seconds", 30);

    private final String uri;
    private final Duration lease;
    private final int[] crowds;

    /**
     * Creates the rules for a store.
     *
     * @param lease of the name, as short as the store allows, or 2 s
     * @param crowds how many clients want the name
     */
    protected WantedNameRules(String uri, Duration lease, int... crowds) {
        this.uri = uri;
        this.lease = lease;
        Integer stated = Integer.getInteger("holdfast.crowd.clients");
        this.crowds = stated == null ? crowds.clone() : new int[] {stated};
    }

    /** What the client holds. */
    private enum Kind {
        LOCK,
        FAIR,
        READ,
        WRITE,
        PERMIT;

        CompletableFuture<? extends Optional<? extends Lease>> hold(Holdfast client, String name, Duration wait) {
            return switch (this) {
                case LOCK -> client.lock(name).async().tryAcquire(wait);
                case FAIR -> client.fairLock(name).async().tryAcquire(wait);
                case READ -> client.readWriteLock(name).readLock().async().tryAcquire(wait);
                case WRITE -> client.readWriteLock(name).writeLock().async().tryAcquire(wait);
                case PERMIT -> client.semaphore(name).async().tryAcquire(1, wait);
            };
        }

        CompletableFuture<? extends Optional<? extends Lease>> want(Holdfast client, String name, Duration wait) {
            return (this == READ ? WRITE : this == WRITE ? READ : this).hold(client, name, wait);
        }
    }

    @TestFactory
    Stream<DynamicTest> keepsTheNameAndFailsNoCall() {
        return runs("wanted", Run::checkKept);
    }

    @TestFactory
    Stream<DynamicTest> servesAllWhoWaitAndFailsNoCall() {
        return runs("awaited", Run::checkTurns);
    }

    private interface Check {
        void of(Run run) throws Exception;
    }

    private Stream<DynamicTest> runs(String name, Check check) {
        return Arrays.stream(crowds)
                .boxed()
                .flatMap(size -> Arrays.stream(Kind.values())
                        .map(kind ->
                                DynamicTest.dynamicTest(kind + " " + size, () -> check.of(new Run(kind, size, name)))));
    }

    /** A holder and its crowd. */
    private final class Run {
        private final Kind kind;
        private final int size;
        private final String name;
        private final List<Holdfast> clients = new ArrayList<>();
        private final Map<String, Integer> failures = new ConcurrentSkipListMap<>();
        private final AtomicInteger requests = new AtomicInteger();
        private final CountDownLatch lost = new CountDownLatch(1);
        private final CountDownLatch working;
        private volatile boolean ended;

        Run(Kind kind, int size, String name) {
            this.kind = kind;
            this.size = size;
            this.name = name + "-" + kind + "-" + size;
            this.working = new CountDownLatch(size);
        }

        void checkTurns() throws Exception {
            try {
                Lease held = hold();
                CompletableFuture<?>[] turns = Stream.generate(this::client)
                        .limit(size)
                        .map(this::turn)
                        .toArray(CompletableFuture<?>[]::new);
                held.close();
                CompletableFuture.allOf(turns).get(TURNS.multipliedBy(2).toSeconds(), TimeUnit.SECONDS);
                assertEquals(Map.of(), failures);
            } finally {
                clients.forEach(Holdfast::close);
            }
        }

        private CompletableFuture<?> turn(Holdfast client) {
            return kind.want(client, name, TURNS)
                    .thenCompose(granted -> granted.orElseThrow().closeAsync())
                    .exceptionally(failure -> {
                        count(failure);
                        return null;
                    });
        }

        void checkKept() throws InterruptedException {
            try {
                Lease held = hold();
                for (int i = 0; i < size; i++) {
                    want(client());
                }
                boolean wasLost = lost.await(SECONDS, TimeUnit.SECONDS);
                ended = true;
                working.await(SECONDS, TimeUnit.SECONDS);
                assertEquals(
                        List.of(false, true, Map.of()),
                        List.of(wasLost, held.isValid(), failures),
                        () -> "it is lost, it is valid, failures of " + requests + " requests");
                held.close();
            } finally {
                ended = true;
                clients.forEach(Holdfast::close);
            }
        }

        private Lease hold() {
            Holdfast holder = client();
            if (kind == Kind.PERMIT) {
                holder.semaphore(name).trySetPermits(1);
            }
            return Await.reply(kind.hold(holder, name, WAIT)).orElseThrow();
        }

        private Holdfast client() {
            Holdfast client = Holdfast.builder()
                    .uri(uri)
                    .lease(lease)
                    .listener(event -> {
                        if (event instanceof LockEvent.Lost) {
                            lost.countDown();
                        }
                    })
                    .build();
            clients.add(client);
            return client;
        }

        private void count(Throwable failure) {
            failures.merge(failure.toString().replaceAll("[0-9]+", "#"), 1, Integer::sum);
        }

        private void want(Holdfast client) {
            var unused = kind.want(client, name, WAIT).whenComplete((granted, failure) -> {
                requests.incrementAndGet();
                if (failure != null) {
                    count(failure);
                } else if (granted.isPresent()) {
                    failures.merge("two holders", 1, Integer::sum);
                }
                if (ended) {
                    working.countDown();
                } else {
                    want(client);
                }
            });
        }
    }
}
