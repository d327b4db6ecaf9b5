package io.holdfast.internal.engine;

import io.holdfast.LockEvent;
import io.holdfast.Safety;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.Slot;
import io.holdfast.internal.slot.Tenure;
import io.holdfast.internal.slot.Validity;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what is held: renews in time, and ends in time what could not be renewed.
 *
 * <p>While anything is held a scan over all held names runs once a second. A tenure that needs a look before the next scan has
 * an entry in a {@link DueQueue}; a longer lease costs nothing between two scans, and a lock that comes and goes between them
 * is never seen. One timer is set to the earliest of both. A look fires deadlines, on the timer's thread, gives up what was kept
 * for long enough, and collects what is due within the next tenth of its renewal period, to be renewed in batches on a
 * thread of its own. So neither a slow store nor a slow listener holds up a deadline.
 *
 * <p>The scan also sees whether the wall clock and {@code nanoTime} have parted; then all that is held is verified.
 */
final class Watchdog {

    private static final long SCAN_NANOS = 1_000_000_000;
    private static final long EARLY_SHARE = 10;
    private static final long STEP_NANOS = 2_000_000;
    private static final long TROUBLE_NANOS = 100_000_000;

    /** Something due for renewal. */
    private record Due(Slot slot, Tenure tenure, HoldSpec spec, CompletableFuture<Optional<Validity>> done) {

        Due(Slot slot, Tenure tenure, HoldSpec spec) {
            this(slot, tenure, spec, new CompletableFuture<>());
        }
    }

    private final Engine engine;
    private final LockStore store;
    private final Platform platform;
    private final MaxHoldAction overdue;
    private final AtomicLong wakeAt = new AtomicLong(Durations.NEVER);
    private final DueQueue soon = new DueQueue();
    private long skew;
    private long scannedAt;
    private @Nullable Throwable trouble;

    /** When the last answer to a renewal came, and when the latest of those that were answered was sent. */
    private volatile long heardAt;

    private volatile long answered;

    Watchdog(Engine engine) {
        this.engine = engine;
        this.store = engine.store;
        this.platform = engine.platform;
        this.overdue = new MaxHoldAction(engine);
        this.skew = Validity.skew(platform.nanoTime(), platform.wallMillis());
        this.heardAt = platform.nanoTime();
        this.answered = heardAt;
        this.scannedAt = heardAt - SCAN_NANOS;
    }

    /** Sees to it that the tenure is looked at when it needs that. */
    void watch(Slot slot, Tenure tenure) {
        wakeBy(plan(slot, tenure, platform.nanoTime() + SCAN_NANOS));
    }

    /** Plans a look at the tenure if it needs one before that time; returns when it needs the next one, at the latest then. */
    private long plan(Slot slot, Tenure tenure, long scan) {
        long need = needs(tenure);
        if (need - scan >= 0) {
            return scan;
        }
        soon.plan(new DueQueue.Entry(slot, tenure, need, early(tenure)));
        return need;
    }

    /** How much earlier than it is due it may be renewed together with others. */
    private static long early(Tenure tenure) {
        Validity validity = tenure.validity;
        long due = tenure.renewDue;
        long period = due == Durations.NEVER ? 0 : Math.min(validity.lease() / 3, due - validity.sent());
        return Math.max(0, period / EARLY_SHARE);
    }

    private long needs(Tenure tenure) {
        long keptUntil = tenure.keptUntil;
        if (keptUntil != Durations.NEVER) {
            return keptUntil;
        }
        long deadline = tenure.validity.deadline();
        long again = tenure.renewSent == Durations.NEVER ? tenure.renewDue : againAt(tenure);
        long due = again - tenure.renewDue > 0 ? again : tenure.renewDue;
        return tenure.renewDue != Durations.NEVER && due - deadline < 0 ? due : deadline;
    }

    /**
     * When a renewal without an answer is sent again. While a busy server still answers what was sent before it, its turn is to
     * come: to ask twice would double the work of one that can hardly do it once, until nothing is renewed in time.
     */
    private long againAt(Tenure tenure) {
        long sent = tenure.renewSent;
        boolean turnIsToCome = heardAt - sent > 0 && answered - sent <= 0;
        return tenure.renewAgainAt(engine.config.command()) + (turnIsToCome ? heardAt - sent : 0);
    }

    private boolean awaited(Tenure tenure, long now) {
        return tenure.renewSent != Durations.NEVER && now - againAt(tenure) < 0;
    }

    private void wakeBy(long wanted) {
        long now = platform.nanoTime();
        // what is long due is planned for now, or it would be taken for one that was never run
        long at = wanted - now < 0 ? now : wanted;
        long planned = wakeAt.get();
        // one that lies so far back was never run
        while (planned == Durations.NEVER || at - planned < 0 || now - planned > SCAN_NANOS) {
            if (wakeAt.compareAndSet(planned, at)) {
                schedule(at, at - now);
                return;
            }
            planned = wakeAt.get();
        }
    }

    private void schedule(long at, long delay) {
        try {
            engine.threads.timer().schedule(delay, () -> scanAt(at));
        } catch (Throwable e) {
            // nothing is set: the next tenure is to set it
            wakeAt.compareAndSet(at, Durations.NEVER);
            throw e;
        }
    }

    /** Unless an earlier one was set since. The loop cannot die: what a scan throws is logged, and the next one is set. */
    private void scanAt(long at) {
        if (!wakeAt.compareAndSet(at, Durations.NEVER)) {
            return;
        }
        List<Due> due = new ArrayList<>();
        long now = platform.nanoTime();
        try {
            lookAtSome(now, due);
        } catch (Throwable e) {
            trouble = e;
            wakeBy(platform.nanoTime() + STEP_NANOS);
        } finally {
            if (!due.isEmpty()) {
                engine.threads.renewal().execute(() -> renewGuarded(due, now));
            }
            // last, as a log may fail as well
            Optional.ofNullable(trouble).ifPresent(e -> engine.events.failure("a scan of the watchdog", e));
        }
    }

    private void lookAtSome(long now, List<Due> due) {
        boolean any = true;
        trouble = null;
        if (now - scannedAt >= SCAN_NANOS) {
            scannedAt = now;
            any = scan(now, due);
        }
        for (DueQueue.Entry entry : soon.take(now)) {
            lookGuarded(entry.slot(), false, now, due);
        }
        if (any) {
            wakeBy(soon.next(scannedAt + SCAN_NANOS));
        }
    }

    /** Looks at all there is; returns whether anything needs another scan. A step of a clock is seen again if a look failed. */
    private boolean scan(long now, List<Due> due) {
        long seen = Validity.skew(now, platform.wallMillis());
        boolean stepped = Math.abs(seen - skew) > STEP_NANOS;
        boolean any = false;
        for (Slot slot : (Iterable<Slot>) engine.slots.all()::iterator) {
            any |= lookGuarded(slot, stepped, now, due);
        }
        skew = trouble == null ? seen : skew;
        return any;
    }

    /** Looks after one name, and plans the next look. If that throws, others are looked at all the same, and this one again soon. */
    private boolean lookGuarded(Slot slot, boolean stepped, long now, List<Due> due) {
        try {
            boolean any = look(slot, stepped, now, due);
            Tenure tenure = slot.tenure();
            if (tenure != null && tenure.held()) {
                plan(slot, tenure, now + SCAN_NANOS);
            }
            return any;
        } catch (Throwable e) {
            trouble = e;
            Tenure tenure = slot.tenure();
            if (tenure != null) {
                soon.plan(new DueQueue.Entry(slot, tenure, now + TROUBLE_NANOS, 0));
            }
            return true;
        }
    }

    /** Looks after one name; returns whether anything is held there, or was lost and is not cleared. */
    private boolean look(Slot slot, boolean stepped, long now, List<Due> due) {
        boolean lost = slot.hasLostHolds();
        if (lost) {
            engine.eventOnTimer(slot, Slot::forgetTheDead);
        }
        Tenure tenure = slot.tenure();
        if (tenure != null && tenure.held()) {
            look(slot, tenure, stepped, now, due);
            return true;
        }
        return lost;
    }

    private void look(Slot slot, Tenure tenure, boolean stepped, long now, List<Due> due) {
        if (!tenure.alive(now)) {
            engine.eventOnTimer(slot, (s, out) -> s.expire(tenure, now, out));
            return;
        }
        if (tenure.keptEnough(now)) {
            engine.eventOnTimer(slot, Slot::letGo);
        }
        // no stream: a client may hold a hundred thousand names
        for (Hold hold : slot.holds()) {
            if (hold.tenure == tenure) {
                lookAtOwner(slot, hold, now);
            }
        }
        lookWhetherDue(slot, tenure, stepped, now, due);
    }

    private void lookWhetherDue(Slot slot, Tenure tenure, boolean stepped, long now, List<Due> due) {
        boolean renewable = tenure.renewDue != Durations.NEVER || (stepped && slot.owner() != null);
        boolean isDue = tenure.renewDue != Durations.NEVER && tenure.renewDue - early(tenure) - now <= 0;
        if (tenure.held() && renewable && (isDue || stepped) && !awaited(tenure, now)) {
            due.add(new Due(slot, tenure, slot.locked(() -> specOf(slot, tenure, now))));
        }
    }

    private static HoldSpec specOf(Slot slot, Tenure tenure, long now) {
        return tenure.renewing(now, slot.renewalSpec(tenure, now));
    }

    private void lookAtOwner(Slot slot, Hold hold, long now) {
        if (hold.ownerGone()) {
            engine.eventOnTimer(slot, (s, out) -> s.ownerGone(hold, now, out));
        } else if (hold.spec.maxHold().reached(hold, now)) {
            overdue.act(slot, hold, now);
        }
        Validity validity = hold.tenure.validity;
        if (hold.watchdog() && !hold.tenure.lateReported && now - validity.sent() > validity.lease() / 3 * 2) {
            hold.tenure.lateReported = true;
            engine.events.warn(
                    slot.share.mode(),
                    new LockEvent.RenewalLate(
                            slot.name, hold.token, Duration.ofNanos(validity.remaining(now)), hold.tenure.trouble),
                    "a " + ErrorTexts.held(slot.share.mode()) + " is lost unless " + store.describe()
                            + " answers before its lease ends");
        }
    }

    // ---- renewing

    private void renewGuarded(List<Due> due, long dueAt) {
        try {
            engine.counters.renewalLagNanos.accumulate(platform.nanoTime() - dueAt);
            renew(due);
        } catch (Throwable e) {
            engine.events.failure("a renewal", e);
            due.forEach(d -> fail(d, "failed unexpectedly: " + e));
        }
    }

    /** Where renewals go. */
    private record Route(ServerClock server, Safety safety) {}

    /** One batch never mixes the names of different servers or safeties: a silent one holds up its own names alone. */
    private void renew(List<Due> due) {
        Map<Route, List<Due>> byRoute = new LinkedHashMap<>();
        due.forEach(d -> byRoute.computeIfAbsent(
                        new Route(store.clock(d.slot.name), d.spec.safety()), c -> new ArrayList<>())
                .add(d));
        int size = engine.settings.renewalBatch();
        byRoute.values().forEach(all -> {
            for (int from = 0; from < all.size(); from += size) {
                send(all.subList(from, Math.min(from + size, all.size())));
            }
        });
    }

    /** Renews one tenure now, apart from the batches; completes with what that proved, or empty if it was not confirmed. */
    CompletableFuture<Optional<Validity>> renewNow(Slot slot, Tenure tenure, HoldSpec spec) {
        Due due = new Due(slot, tenure, spec);
        slot.locked(() -> tenure.renewing(platform.nanoTime(), spec));
        engine.threads.renewal().execute(() -> send(List.of(due)));
        return due.done;
    }

    /** On this thread, which is the one reserved for it. */
    private void send(List<Due> batch) {
        engine.calls.start(new RenewCall(batch), Runnable::run);
    }

    private void fail(Due due, String why) {
        due.tenure.trouble = why;
        engine.event(due.slot, (s, out) -> s.renewalFailed(due.tenure, platform.nanoTime(), out));
        due.done.complete(Optional.empty());
    }

    private final class RenewCall extends Calls.Call<List<Renew.Reply>> {

        private final List<Due> batch;

        RenewCall(List<Due> batch) {
            this.batch = batch;
        }

        @Override
        CompletionStage<List<Renew.Reply>> send() {
            batch.forEach(due -> due.slot.locked(() -> due.tenure.renewing(sent(), due.spec)));
            return store.renew(batch.stream().map(this::request).toList());
        }

        private Renew request(Due due) {
            long tokens = due.tenure.tokensLow() ? due.tenure.tokensWanted : 0;
            return new Renew(due.slot.name, due.tenure.id, due.tenure.share.mode(), due.spec.lease(), tokens)
                    .withFloor(due.tenure.floor())
                    .withSafety(due.spec.safety());
        }

        @Override
        void replied(List<Renew.Reply> replies) {
            heardAt = platform.nanoTime();
            answered = answered - sent() > 0 ? answered : sent();
            for (int i = 0; i < batch.size(); i++) {
                replied(batch.get(i), replies.get(i));
            }
        }

        private void replied(Due due, Renew.Reply reply) {
            long now = platform.nanoTime();
            if (reply instanceof Renew.Renewed renewed) {
                engine.counters.renewals.increment();
                store.clock(due.slot.name).observe(sent(), renewed.serverMicros());
                Validity proven = proven(due.spec.nanos());
                engine.event(due.slot, (s, out) -> s.renewed(due.tenure, renewed, proven, due.spec, now, out));
                boolean confirmed = due.tenure.held() && due.tenure.validity.sent() - sent() >= 0;
                due.done.complete(confirmed ? Optional.of(proven) : Optional.empty());
            } else if (reply instanceof Renew.Lost) {
                engine.event(due.slot, (s, out) -> s.renewalLost(due.tenure, notThere(), now, out));
                due.done.complete(Optional.empty());
            } else if (reply instanceof Renew.Failed failed) {
                failed(due, failed.cause(), now);
            }
        }

        /** What is refused for the name alone, because something else is there, is never renewed. */
        private void failed(Due due, StoreException cause, long now) {
            if (cause.effect() == StoreException.Effect.REFUSED) {
                String reason = "its renewal was refused: " + cause.getMessage();
                engine.event(due.slot, (s, out) -> s.renewalRefused(due.tenure, reason, now, out));
                due.done.complete(Optional.empty());
            } else {
                fail(due, cause.getMessage() + "");
            }
        }

        private String notThere() {
            return store.describe() + " does not have it any more (expired, forced, flushed, or failed over)";
        }

        @Override
        void failed(StoreException cause, boolean late) {
            if (!late) {
                batch.forEach(due -> fail(due, cause.getMessage() + ""));
            }
        }
    }
}
