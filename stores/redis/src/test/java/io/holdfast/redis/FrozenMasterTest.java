package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.Safety;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.check.HistoryChecker.Kind;
import io.holdfast.testkit.faults.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A master is frozen until Sentinels have promoted another one, and then wakes. It goes on as the master, and confirms renewals,
 * until a Sentinel demotes it about ten seconds later. The lease ends at the other master meanwhile, unless it is renewed there.
 */
@Timeout(400)
class FrozenMasterTest {

    private static final Duration LEASE = Duration.ofSeconds(12);
    private static final int ATTEMPTS = 10;

    /** So short that the names are granted at the new master long before a Sentinel demotes the other one. */
    private static final Duration SHORT_LEASE = Duration.ofSeconds(4);

    /** Outlasts a failover, and the time until a Sentinel demotes the master that has woken. */
    private static final Duration LONG_LEASE = Duration.ofMinutes(1);

    /** A connection is given up after twice this time, and so not before a promotion that comes in time. */
    private static final Duration COMMAND = Duration.ofSeconds(2);

    /** A connection is given up while the master is frozen. */
    private static final Duration SHORT_COMMAND = Duration.ofMillis(500);

    private static final Duration CONNECT = Duration.ofSeconds(2);

    /** The longest time from the moment when a Sentinel names a new master to the grant of a free name. */
    private static final Duration TO_A_GRANT = Duration.ofSeconds(1);

    /** A round trip to a server, on a busy machine. */
    private static final Duration ROUND_TRIP = Duration.ofMillis(50);

    private static final Logger LOG = LoggerFactory.getLogger(FrozenMasterTest.class);

    private final SentinelGroup group = new SentinelGroup();
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        group.close();
    }

    private Holdfast connect(Safety safety) {
        return Holdfast.builder()
                .uri(group.uri())
                .lease(LEASE)
                .safety(safety)
                .listener(events::add)
                .build();
    }

    /**
     * The promotion of another master, in {@code nanoTime}.
     *
     * @param frozen when the former master was frozen
     * @param named when a Sentinel named the new one
     * @param agreed when most did
     * @param woken when the former one went on
     */
    private record Promotion(long frozen, long named, long agreed, long woken) {

        /** Returns {@code true} if it came early enough for a renewal at the new master. */
        boolean isInTime() {
            return agreed - frozen < LEASE.dividedBy(3).toNanos();
        }
    }

    /**
     * What happened when a master was frozen.
     *
     * @param toAGrant the time from the promotion to the grant of a free name
     * @param overlap for how long two holds of one name were valid, from the wake on
     */
    private record Outcome(Promotion promotion, Duration toAGrant, Duration overlap) {

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "a promotion after %d ms, a grant %d ms later, an overlap of %.1f ms",
                    (promotion.named - promotion.frozen) / 1_000_000,
                    toAGrant.toMillis(),
                    overlap.toNanos() / 1e6);
        }
    }

    /**
     * Freezes the master until another one is promoted, and lets it go on.
     *
     * @param freeze freezes it
     * @param beforeTheWake receives the one that was promoted, while the other is still frozen
     */
    private Promotion freezeUntilThePromotion(Consumer<RedisServer> freeze, Consumer<RedisServer> beforeTheWake) {
        RedisServer master = group.master();
        long frozen = System.nanoTime();
        try {
            freeze.accept(master);
            Await.until("a Sentinel names another one", () -> group.isReplaced(master));
            long named = System.nanoTime();
            Await.until(
                    "another one is the master",
                    () -> group.agreed().filter(one -> one != master).isPresent());
            long agreed = System.nanoTime();
            beforeTheWake.accept(group.master());
            return new Promotion(frozen, named, agreed, System.nanoTime());
        } finally {
            master.resume();
        }
    }

    /** Freezes a master once. */
    private interface Attempt {
        Outcome make() throws InterruptedException;
    }

    /** Freezes masters until a promotion comes in time. Returns what happened, each time. */
    private static List<Outcome> untilInTime(String what, Attempt attempt) throws InterruptedException {
        List<Outcome> outcomes = new ArrayList<>();
        boolean inTime = false;
        while (!inTime) {
            assertThat(outcomes).as("attempts without a promotion in time").hasSizeLessThan(ATTEMPTS);
            Outcome outcome = attempt.make();
            LOG.info("{}: {}", what, outcome);
            outcomes.add(outcome);
            inTime = outcome.promotion.isInTime();
        }
        return outcomes;
    }

    private List<Outcome> assertOneHolder(Safety safety, long phaseMillis) throws InterruptedException {
        return untilInTime(safety + ", " + phaseMillis + " ms after the grant", () -> freeze(safety, phaseMillis));
    }

    private Outcome freeze(Safety safety, long phaseMillis) throws InterruptedException {
        group.awaitReplicas();
        group.awaitNoTilt();
        events.clear();
        try (Holdfast holder = connect(safety);
                Holdfast other = connect(safety)) {
            Lease held = holder.lock("held").acquire();
            Thread.sleep(phaseMillis);
            Promotion promotion = freezeUntilThePromotion(RedisServer::pause, promoted -> {});
            CompletableFuture<Optional<Lease>> second =
                    other.lock("held").async().tryAcquire(LEASE.plusSeconds(2));
            Duration toAGrant = awaitGrant(other, promotion);
            Duration overlap = overlap(held, second);
            if (promotion.isInTime()) {
                assertThat(second.join()).as("it is renewed at the new master").isEmpty();
                assertThat(held.isValid()).isTrue();
                assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
                held.close();
            }
            return new Outcome(promotion, toAGrant, overlap);
        }
    }

    /** Waits for the end of the request, and returns for how long its grant and the first hold are valid, from then on. */
    private static Duration overlap(Lease held, CompletableFuture<Optional<Lease>> request) {
        Optional<Lease> second =
                request.exceptionally(error -> Optional.empty()).join();
        long start = System.nanoTime();
        Await.until(
                "at most one is valid",
                () -> !held.isValid() || second.filter(Lease::isValid).isEmpty());
        return second.isEmpty() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - start);
    }

    /** Waits until a free name is granted, and returns the time from the promotion on. */
    private static Duration awaitGrant(Holdfast client, Promotion promotion) {
        Await.until("a free name is granted", () -> isGranted(client));
        return Duration.ofNanos(System.nanoTime() - promotion.named);
    }

    private static boolean isGranted(Holdfast client) {
        try (Lease lease = client.lock("free").tryAcquire().orElseThrow()) {
            return lease.isValid();
        } catch (RuntimeException e) {
            return false;
        }
    }

    @Tag("ci")
    @Test
    void keepsAHoldAtTheMasterThatHasReplacedAFrozenOne() throws InterruptedException {
        var unused = assertOneHolder(Safety.async(), 700);
    }

    /** The client has given its connection up before Sentinels promote another master, and connects to the frozen one again. */
    @Tag("ci")
    @Test
    void leavesAnAttemptToConnectToAMasterThatIsReplaced() {
        group.waitBeforeAFailover(Duration.ofSeconds(4));
        RedisServer master = group.master();
        try (Holdfast client = Holdfast.builder()
                .uri(group.uri())
                .commandTimeout(Duration.ofMillis(500))
                .connectTimeout(Duration.ofSeconds(100))
                .build()) {
            master.pause();
            Await.until(
                    "another one is the master",
                    () -> group.agreed().filter(one -> one != master).isPresent());
            Await.until("a free name is granted", () -> isGranted(client));
        } finally {
            master.resume();
        }
    }

    /** Within ten seconds, the period of the Sentinels; each of them at another time within the period of the renewals. */
    static Stream<Arguments> phases() {
        return Stream.of(Safety.async(), Safety.replicated(1))
                .flatMap(safety -> IntStream.range(0, 10).mapToObj(phase -> arguments(safety, phase * 1_000)));
    }

    @Tag("night")
    @ParameterizedTest
    @MethodSource("phases")
    void keepsAHoldInEachPhaseOfTheHeartbeat(Safety safety, int phaseMillis) throws InterruptedException {
        List<Outcome> outcomes = assertOneHolder(safety, phaseMillis);
        if (isSlow(outcomes)) {
            // the machine may have been busy at that moment
            outcomes.addAll(assertOneHolder(safety, phaseMillis));
        }
        assertThat(isSlow(outcomes))
                .as("a grant within %s: %s", TO_A_GRANT, outcomes)
                .isFalse();
        assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome.overlap).isLessThan(ROUND_TRIP));
    }

    private static boolean isSlow(List<Outcome> outcomes) {
        return outcomes.get(outcomes.size() - 1).toAGrant.compareTo(TO_A_GRANT) > 0;
    }

    @Tag("ci")
    @Test
    void keepsAReplicatedHoldAtTheMasterThatHasReplacedAFrozenOne() throws InterruptedException {
        var unused = assertOneHolder(Safety.replicated(1), 700);
    }

    @Tag("ci")
    @Test
    void asksTheSentinelsIfTheyReportNothing() throws InterruptedException {
        group.forbidSubscriptions();
        var unused = assertOneHolder(Safety.async(), 700);
    }

    // ---- beside a crowd

    static Stream<Safety> levels() {
        return Stream.of(Safety.async(), Safety.replicated(1));
    }

    /** Two clients contend for two names, and a third one begins to when the former master has woken. */
    @Tag("night")
    @ParameterizedTest
    @MethodSource("levels")
    void grantsEachNameOfACrowdToOneAtATime(Safety safety) throws InterruptedException {
        assertThat(untilInTime(safety + ", beside a crowd", () -> freezeBesideACrowd(safety)))
                .allSatisfy(outcome -> assertThat(outcome.overlap).isLessThan(ROUND_TRIP));
    }

    private Outcome freezeBesideACrowd(Safety safety) {
        group.awaitReplicas();
        group.awaitNoTilt();
        try (Crowd crowd = Crowd.ofTwo(group.uri(), SHORT_LEASE, COMMAND, safety);
                Holdfast other = connect(safety)) {
            crowd.healthyAgain();
            Promotion promotion = freezeUntilThePromotion(group::freezeInStep, promoted -> {});
            Duration toAGrant = awaitGrant(other, promotion);
            // it has never known another master than the new one
            crowd.addClient();
            crowd.healthyAgain();
            // until the former master is one of them
            group.awaitReplicas();
            crowd.healthyAgain();
            crowd.stop();
            crowd.assertErrorsWereForeseen();
            assertThat(crowd.history().violations(System.nanoTime()))
                    .allMatch(violation -> violation.kind() == Kind.OVERLAP);
            return new Outcome(promotion, toAGrant, overlap(crowd.turns(), promotion.woken));
        }
    }

    /** Returns for how long after the given moment there were still two valid holds of one name, at times. */
    private static Duration overlap(List<Turn> turns, long from) {
        Map<String, Long> ends = new HashMap<>();
        long last = from;
        for (Turn turn : turns.stream()
                .sorted(Comparator.comparingLong(each -> each.begun))
                .toList()) {
            long both = Math.min(ends.getOrDefault(turn.name, turn.begun), turn.end());
            last = both > turn.begun ? Math.max(last, both) : last;
            ends.merge(turn.name, turn.end(), Math::max);
        }
        return Duration.ofNanos(last - from);
    }

    // ---- behind an address that moves

    /** The address leads to the new master when that is promoted. A client uses it for each connection that it makes. */
    @Tag("night")
    @Test
    void keepsAHoldIfTheAddressMovesAndTheClientLeavesBeforeTheMasterWakes() throws Exception {
        assertKeptBehindAnAddress(SHORT_COMMAND, true);
    }

    /** The client stays at the master that wakes until that is demoted, for less time than is left of the lease. */
    @Tag("night")
    @Test
    void keepsAHoldIfTheAddressMovesAndTheMasterWakesBeforeTheClientLeaves() throws Exception {
        assertKeptBehindAnAddress(COMMAND, false);
    }

    private Holdfast connect(Wire address, Duration commandTimeout) {
        return Holdfast.builder()
                .uri(Servers.uri(address.port()))
                .lease(LONG_LEASE)
                .commandTimeout(commandTimeout)
                .connectTimeout(CONNECT)
                .listener(events::add)
                .build();
    }

    private void assertKeptBehindAnAddress(Duration commandTimeout, boolean leavesBeforeTheWake) throws Exception {
        group.awaitNoTilt();
        RedisServer master = group.master();
        try (Wire address = new Wire(master.port());
                Holdfast holder = connect(address, commandTimeout)) {
            Lease held = holder.lock("held").acquire();
            Await.until(
                    "the replicas have it",
                    () -> group.servers.stream().allMatch(server -> group.redis(server, r -> r.exists("held")) == 1));
            var unused = freezeUntilThePromotion(RedisServer::pause, promoted -> {
                address.leadTo(promoted.port());
                if (leavesBeforeTheWake) {
                    awaitRenewal(promoted);
                }
            });
            try (Holdfast other = connect(address, commandTimeout)) {
                CompletableFuture<Lease> second = other.lock("held").async().acquire();
                if (!leavesBeforeTheWake) {
                    awaitRenewal(group.master());
                }
                // until the former master is one of them
                group.awaitReplicas();
                Await.until(
                        "no client is left at the former master",
                        () -> !group.redis(master, r -> r.clientList()).contains("name=holdfast"));
                assertThat(second).isNotDone();
                assertThat(held.isValid()).isTrue();
                held.close();
                Lease next = Await.reply(second);
                assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
                next.close();
            }
        }
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
    }

    private void awaitRenewal(RedisServer server) {
        long left = millisLeft(server);
        Await.until("the hold is renewed at the new master", () -> millisLeft(server) > left);
    }

    private long millisLeft(RedisServer server) {
        return group.redis(server, r -> r.pttl("held"));
    }
}
