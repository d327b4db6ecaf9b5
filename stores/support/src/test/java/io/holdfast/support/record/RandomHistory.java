package io.holdfast.support.record;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Change;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Requests of some clients for one name, at random, and the record that they lead to. The same seed gives the same requests.
 */
final class RandomHistory {

    /** What the name is. */
    enum Kind {
        LOCK,
        READ_WRITE,
        SEMAPHORE,
        LATCH
    }

    /** What a step led to. The reply is the text of the failure for a request that failed. */
    record Outcome(LockRecord record, Object reply, List<Notice> notices) {}

    /** A request that is decided on a record. */
    interface Step {

        Decision<?> decide(Decider decider, LockRecord before, Moment moment);
    }

    static final String NAME = "orders/42";

    private static final List<Mode> READ_WRITE_MODES = List.of(Mode.READ, Mode.READ, Mode.WRITE);
    private static final TenureId READER_OF_A_LOCK = new TenureId("client-1", 4);
    private static final int CLIENTS = 5;
    private static final int TENURES = 6;

    private final Random random;
    private final Kind kind;
    private final Limits limits;
    private final Decider decider;
    private final List<Change> changes = new ArrayList<>();
    private long now;
    private long numbers;
    private LockRecord record = LockRecord.EMPTY;

    RandomHistory(long seed, Kind kind, Limits limits) {
        this.random = new Random(seed);
        this.kind = kind;
        this.limits = limits;
        decider = new Decider(limits);
        now = 1_790_000_000_000_000L + random.nextInt(1_000_000);
    }

    LockRecord record() {
        return record;
    }

    Limits limits() {
        return limits;
    }

    long now() {
        return now;
    }

    /** Replaces the record by another one, which is to be equal. */
    void become(LockRecord same) {
        record = same;
    }

    /** Lets some time pass, and decides a request. */
    Outcome step() {
        now += time();
        Step step = request();
        Optional<String> session = random.nextInt(4) == 0 ? Optional.empty() : Optional.of("s" + random.nextInt(3));
        return decide(step, new Moment(now, 7, session));
    }

    private Outcome decide(Step step, Moment moment) {
        try {
            Decision<?> decision = step.decide(decider, record, moment);
            record = random.nextInt(8) == 0 ? decision.record().writtenAt(now) : decision.record();
            return new Outcome(record, decision.reply(), decision.notices());
        } catch (StoreException e) {
            return new Outcome(record, e.effect() + ": " + e.getMessage(), List.of());
        }
    }

    private long time() {
        return switch (random.nextInt(12)) {
            case 0, 1, 2 -> 0;
            case 3 -> 20_000_000L;
            case 4 -> random.nextInt(70_000_000);
            case 5, 6, 7 -> random.nextInt(2_000_000);
            default -> random.nextInt(5_000);
        };
    }

    private Step request() {
        return switch (kind) {
            case LOCK, READ_WRITE -> hold();
            case SEMAPHORE -> random.nextInt(5) == 0 ? count() : hold();
            case LATCH -> random.nextInt(3) == 0 ? listen() : count();
        };
    }

    private Step hold() {
        return switch (random.nextInt(14)) {
            case 0, 1, 2 -> {
                Release release = release();
                yield (decider, before, moment) -> decider.release(before, release, moment);
            }
            case 3, 4 -> {
                Renew renew = renew();
                yield (decider, before, moment) -> decider.renew(before, renew, moment);
            }
            case 5 -> takeAway();
            case 6 -> random.nextInt(3) == 0 ? close() : poll();
            default -> {
                Acquire acquire = acquire();
                yield (decider, before, moment) -> decider.acquire(before, acquire, moment);
            }
        };
    }

    private <T> T any(List<T> some) {
        return some.get(random.nextInt(some.size()));
    }

    private String client() {
        return "client-" + random.nextInt(CLIENTS);
    }

    private TenureId tenure() {
        TenureId tenure = new TenureId(client(), 1 + random.nextInt(TENURES));
        return tenure.number() == TENURES ? tenure.lingering() : tenure;
    }

    /** A tenure never changes its mode. A few of a lock are misused for reading. */
    private Mode mode(TenureId tenure) {
        return switch (kind) {
            case LOCK -> tenure.equals(READER_OF_A_LOCK) ? Mode.READ : Mode.LOCK;
            case SEMAPHORE -> Mode.PERMITS;
            default -> READ_WRITE_MODES.get((int) Math.abs(tenure.number()) % READ_WRITE_MODES.size());
        };
    }

    private Duration lease() {
        return Duration.ofMillis(100 + random.nextInt(random.nextBoolean() ? 500 : 30_000));
    }

    private Duration waited() {
        return Duration.ofMillis(random.nextBoolean() ? 0 : random.nextInt(1_000));
    }

    private Acquire acquire() {
        TenureId tenure = tenure();
        Mode mode = mode(tenure);
        int permits = mode == Mode.PERMITS ? random.nextInt(4) : 0;
        Share share = new Share(mode, permits, kind == Kind.READ_WRITE ? beside(tenure, mode) : Optional.empty());
        List<Acquire.Place> behind = mode == Mode.LOCK && random.nextInt(3) == 0
                ? IntStream.range(0, 2)
                        .mapToObj(i -> new Acquire.Place(
                                new TenureId(tenure.clientId(), 50 + random.nextInt(4)), 0, lease(), waited()))
                        .toList()
                : List.of();
        return new Acquire(
                NAME,
                tenure,
                share,
                any(List.of(Queueing.values())),
                random.nextInt(6) == 0 ? Math.max(1, now - random.nextInt(1_000_000)) : 0,
                waited(),
                behind,
                lease(),
                minHold(),
                random.nextInt(4) == 0 ? 5_000 : 1,
                random.nextInt(30) == 0 ? now - 1 : Long.MAX_VALUE);
    }

    /** A reader may read beside its own writing. */
    private Optional<TenureId> beside(TenureId tenure, Mode mode) {
        TenureId own = new TenureId(tenure.clientId(), 1 + random.nextInt(TENURES - 1));
        return Optional.of(own).filter(beside -> mode == Mode.READ && mode(beside) == Mode.WRITE);
    }

    /** Asks again for a place, or for a hold, as it is. */
    private Step poll() {
        Optional<Place> place =
                record.queue().all().stream().skip(random.nextInt(3)).findFirst();
        Acquire acquire = place.map(waiting -> new Acquire(
                        NAME,
                        waiting.tenure(),
                        new Share(waiting.mode(), waiting.permits(), Optional.empty()),
                        waiting.fair() ? Queueing.FAIR : Queueing.BARGING,
                        0,
                        Duration.ZERO,
                        List.of(),
                        Duration.ofNanos(waiting.lease() * 1_000),
                        Duration.ZERO,
                        waiting.tokens(),
                        Long.MAX_VALUE))
                .orElseGet(this::acquire);
        return (decider, before, moment) -> decider.acquire(before, acquire, moment);
    }

    private Step close() {
        String client = client();
        return (decider, before, moment) -> new Decision<>(before.withoutWaitsOf(client), client, List.of());
    }

    private TenureId someHolder() {
        List<Holder> holders = record.holders().all();
        return holders.isEmpty() || random.nextInt(4) == 0
                ? tenure()
                : any(holders).tenure();
    }

    private Release release() {
        TenureId tenure = someHolder();
        Mode mode = mode(tenure);
        long last = mode == Mode.LOCK && random.nextBoolean() ? record.tokens().last() << 10 : 0;
        List<TenureId> places = random.nextInt(5) == 0 ? List.of(tenure()) : List.of();
        return new Release(
                NAME, tenure, mode, random.nextBoolean(), Math.max(0, last - random.nextInt(3_000)), 0, places);
    }

    private Renew renew() {
        TenureId tenure = someHolder();
        Mode mode = mode(tenure);
        long floor = mode == Mode.LOCK && random.nextInt(5) == 0 ? (now + random.nextInt(20_000)) << 10 : 0;
        return new Renew(
                NAME, tenure, mode, lease(), minHold(), random.nextInt(3) == 0 ? random.nextInt(9_000) : 0, floor);
    }

    private Duration minHold() {
        return random.nextInt(4) == 0 ? lease() : Duration.ZERO;
    }

    private Step takeAway() {
        TenureId tenure = someHolder();
        return kind == Kind.SEMAPHORE
                ? (decider, before, moment) -> decider.revoke(before, NAME, tenure, moment)
                : (decider, before, moment) -> decider.forceRelease(before, NAME, moment);
    }

    private Step listen() {
        String client = client();
        boolean listening = random.nextInt(3) > 0;
        return (decider, before, moment) -> decider.latch(before, NAME, client, listening, moment);
    }

    private Step count() {
        if (changes.isEmpty() || random.nextInt(4) > 0) {
            changes.add(change());
        }
        Change change = changes.get(changes.size() - 1 - random.nextInt(Math.min(3, changes.size())));
        return (decider, before, moment) -> decider.change(before, change, moment);
    }

    private Change change() {
        boolean latch = kind == Kind.LATCH;
        List<Change.Kind> kinds = List.of(Change.Kind.values()).stream()
                .filter(each -> each.ofLatch() == latch)
                .toList();
        Change.Kind one = any(kinds);
        int amount = latch ? 1 + random.nextInt(3) : random.nextInt(9) - (one == Change.Kind.ADD_PERMITS ? 3 : -1);
        Optional<Duration> life = latch && random.nextInt(3) == 0
                ? Optional.of(Duration.ofMillis(random.nextInt(4_000)))
                : Optional.empty();
        long notAfter = random.nextInt(30) == 0 ? now - 1 : Long.MAX_VALUE;
        return new Change(one, NAME, new TenureId(client(), ++numbers), amount, life, notAfter);
    }
}
