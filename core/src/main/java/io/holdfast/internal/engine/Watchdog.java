package io.holdfast.internal.engine;

import io.holdfast.LockEvent;
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
import org.jspecify.annotations.Nullable;

/**
 * The watchdog of one client. It renews held tenures in time, and ends in time those that could not be renewed.
 *
 * <ol>
 *   <li>While anything is held, a wake-up of the timer is planned. A scan over all held names runs once a second.
 *   <li>A tenure that needs a look before the next scan has an entry in a {@link DueQueue}. The timer is set to the earliest of
 *       both.
 *   <li>The timer's thread fires deadlines. It never calls the store and never runs code of users, so neither a slow store nor
 *       a slow listener delays a deadline.
 *   <li>One batch never mixes servers or safeties.
 *   <li>No renewal is sent for a tenure that ended while the renewal waited for its thread.
 *   <li>A look that fails is repeated soon. It stops neither the other looks nor the scans.
 * </ol>
 *
 * <p>A look fires the deadline of a tenure, and gives up a tenure that has lingered for long enough. It detects owners that are
 * gone, and holds that are older than {@code maxHold}. It also collects tenures that are due within the next tenth of their
 * renewal period. These are renewed in batches, on a thread of their own. A longer lease costs nothing between two scans. A
 * lock that is acquired and released between two scans is never seen.
 *
 * <p>The scan also detects that the wall clock and {@code nanoTime} have parted. In that case, every held tenure is verified by
 * a renewal, except those that linger.
 */
final class Watchdog {

    private static final long SCAN_NANOS = 1_000_000_000;
    private static final long EARLY_SHARE = 10;
    private static final long STEP_NANOS = 2_000_000;
    private static final long TROUBLE_NANOS = 100_000_000;

    /** A tenure that is due for renewal. */
    private record Due(Slot slot, Tenure tenure, HoldSpec spec, CompletableFuture<Optional<Validity>> done) {

        Due(Slot slot, Tenure tenure, HoldSpec spec) {
            this(slot, tenure, spec, new CompletableFuture<>());
        }
    }

    private final Engine engine;
    private final LockStore store;
    private final Platform platform;
    private final MaxHoldAction overdue;
    private final WakeUp wakeUp;
    private final DueQueue soon = new DueQueue();
    private long skew;
    private long scannedAt;
    private @Nullable Throwable trouble;

    /** The time of the last answer to a renewal. */
    private volatile long heardAt;

    /** The send time of the latest renewal that was answered. */
    private volatile long answered;

    Watchdog(Engine engine) {
        this.engine = engine;
        this.store = engine.store;
        this.platform = engine.platform;
        this.overdue = new MaxHoldAction(engine);
        this.wakeUp = new WakeUp((task, nanos) -> engine.threads.timer().schedule(nanos, task), SCAN_NANOS, this::wake);
        this.skew = Validity.skew(platform.nanoTime(), platform.wallMillis());
        this.heardAt = platform.nanoTime();
        this.answered = heardAt;
        this.scannedAt = heardAt - SCAN_NANOS;
    }

    /** Plans the next look at the tenure, and wakes the timer in time for it. */
    void watch(Slot slot, Tenure tenure) {
        wakeUp.by(plan(slot, tenure, platform.nanoTime() + SCAN_NANOS), platform.nanoTime());
    }

    /**
     * Plans a look at the tenure if it needs one before the given scan. Returns the time of the next look, which is that of the
     * scan at the latest.
     */
    private long plan(Slot slot, Tenure tenure, long scan) {
        long need = needs(tenure);
        if (need - scan >= 0) {
            return scan;
        }
        soon.plan(new DueQueue.Entry(slot, tenure, need, early(tenure)));
        return need;
    }

    /** Returns how much earlier than it is due the tenure may be renewed, together with others. */
    private static long early(Tenure tenure) {
        Validity validity = tenure.validity;
        long due = tenure.renewDue;
        long period = due == Durations.NEVER ? 0 : Math.min(validity.lease() / 3, due - validity.sent());
        return Math.max(0, period / EARLY_SHARE);
    }

    private long needs(Tenure tenure) {
        long keptUntil = tenure.lingerUntil;
        if (keptUntil != Durations.NEVER) {
            return keptUntil;
        }
        long deadline = tenure.validity.deadline();
        long again = tenure.renewSent == Durations.NEVER ? tenure.renewDue : againAt(tenure);
        long due = again - tenure.renewDue > 0 ? again : tenure.renewDue;
        return tenure.renewDue != Durations.NEVER && due - deadline < 0 ? due : deadline;
    }

    /**
     * Returns the time at which a renewal without an answer is sent again.
     *
     * <p>While a busy server still answers requests that were sent before this one, the turn of this one is still to come.
     * Sending it again would double the load of a server that can hardly carry it once, until nothing is renewed in time
     * (congestion collapse).
     */
    private long againAt(Tenure tenure) {
        long sent = tenure.renewSent;
        boolean turnIsToCome = heardAt - sent > 0 && answered - sent <= 0;
        return tenure.renewAgainAt(engine.config.command()) + (turnIsToCome ? heardAt - sent : 0);
    }

    private boolean awaited(Tenure tenure, long now) {
        return tenure.renewSent != Durations.NEVER && now - againAt(tenure) < 0;
    }

    /**
     * Looks at some or all tenures. The loop cannot die: an error of a scan is logged, and the next scan is planned.
     */
    private void wake() {
        List<Due> due = new ArrayList<>();
        long now = platform.nanoTime();
        try {
            lookAtSome(now, due);
        } catch (Throwable e) {
            trouble = e;
            wakeUp.by(platform.nanoTime() + STEP_NANOS, platform.nanoTime());
        } finally {
            if (!due.isEmpty()) {
                engine.threads.renewal().execute(() -> renewGuarded(due, now));
            }
            // last: a failing log must not prevent the renewals
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
            wakeUp.by(soon.next(scannedAt + SCAN_NANOS), platform.nanoTime());
        }
    }

    /**
     * Looks at all slots. Returns {@code true} if anything needs another scan. If a look failed, a step of a clock is detected
     * again by the next scan.
     */
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

    /**
     * Looks at one slot, and plans its next look. If the look fails, the other slots are still looked at, and this one is
     * looked at again soon.
     */
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

    /** Looks at one slot. Returns {@code true} if anything is held there, or was lost and is not cleared. */
    private boolean look(Slot slot, boolean stepped, long now, List<Due> due) {
        boolean lost = slot.hasLostHolds();
        if (lost) {
            engine.eventOnTimer(slot, Slot::clearDeadOwners);
        }
        Tenure tenure = slot.tenure();
        if (tenure != null && tenure.held()) {
            look(slot, tenure, stepped, now, due);
            return true;
        }
        return lost;
    }

    private void look(Slot slot, Tenure tenure, boolean stepped, long now, List<Due> due) {
        if (!tenure.unexpired(now)) {
            engine.eventOnTimer(slot, (s, out) -> s.expire(tenure, now, out));
            return;
        }
        if (tenure.lingerExpired(now)) {
            engine.eventOnTimer(slot, Slot::stopLingering);
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
            due.add(new Due(slot, tenure, slot.locked(() -> tenure.renewalSent(now, slot.renewalSpec(tenure, now)))));
        }
    }

    private void lookAtOwner(Slot slot, Hold hold, long now) {
        if (hold.isAbandoned()) {
            engine.eventOnTimer(slot, (s, out) -> s.abandoned(hold, now, out));
        } else if (hold.spec.maxHold().reached(hold, now)) {
            overdue.act(slot, hold, now);
        }
        Validity validity = hold.tenure.validity;
        if (hold.watchdog() && !hold.tenure.lateReported && now - validity.sent() > validity.lease() / 3 * 2) {
            hold.tenure.lateReported = true;
            engine.events.warn(
                    slot.share.mode(),
                    new LockEvent.RenewalLate(
                            slot.name, hold.token, Duration.ofNanos(validity.remaining(now)), hold.tenure.lastFailure),
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

    /**
     * Renews the tenures in batches. A batch never mixes the names of different servers, so a silent server delays
     * its own names only.
     */
    private void renew(List<Due> due) {
        Map<ServerClock, List<Due>> byServer = new LinkedHashMap<>();
        due.forEach(d -> byServer.computeIfAbsent(store.clock(d.slot.name), c -> new ArrayList<>())
                .add(d));
        int size = engine.settings.renewalBatch().orElse(store.capabilities().renewalBatch());
        byServer.values().forEach(all -> {
            for (int from = 0; from < all.size(); from += size) {
                send(all.subList(from, Math.min(from + size, all.size())));
            }
        });
    }

    /**
     * Renews one tenure now, outside the batches. The future completes with the proven validity, or empty if the renewal was
     * not confirmed.
     */
    CompletableFuture<Optional<Validity>> renewNow(Slot slot, Tenure tenure, HoldSpec spec) {
        Due due = new Due(slot, tenure, spec);
        slot.locked(() -> tenure.renewalSent(platform.nanoTime(), spec));
        engine.threads.renewal().execute(() -> send(List.of(due)));
        return due.done;
    }

    /**
     * Sends a batch on this thread, which is reserved for renewals. The owner may have released a tenure while its renewal
     * waited for this thread. The renewal would then only find at the store that the tenure is gone.
     */
    private void send(List<Due> batch) {
        List<Due> open = new ArrayList<>(batch);
        open.removeIf(due -> due.tenure.state == Tenure.State.ENDED && due.done.complete(Optional.empty()));
        if (!open.isEmpty()) {
            engine.calls.start(new RenewCall(open), Runnable::run);
        }
    }

    private void fail(Due due, String why) {
        due.tenure.lastFailure = why;
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
            batch.forEach(due -> due.slot.locked(() -> due.tenure.renewalSent(sent(), due.spec)));
            return store.renew(batch.stream().map(this::request).toList());
        }

        private Renew request(Due due) {
            long tokens = due.tenure.tokens.low() ? due.tenure.tokens.requestSize : 0;
            return new Renew(due.slot.name, due.tenure.id, due.tenure.share.mode(), due.spec.lease(), tokens)
                    .withFloor(due.tenure.tokens.floor());
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
                Validity proven = proven(due.spec.nanos(), renewed.valid());
                engine.event(due.slot, (s, out) -> s.renewed(due.tenure, renewed, proven, due.spec, now, out));
                boolean confirmed = due.tenure.held() && due.tenure.validity.sent() - sent() >= 0;
                due.done.complete(confirmed ? Optional.of(proven) : Optional.empty());
            } else if (reply instanceof Renew.Lost) {
                String reason = store.describe() + " no longer has it (expired, forced, flushed, or failed over)";
                engine.event(due.slot, (s, out) -> s.renewalLost(due.tenure, reason, now, out));
                due.done.complete(Optional.empty());
            } else if (reply instanceof Renew.Failed failed) {
                failed(due, failed.cause(), now);
            }
        }

        /**
         * Handles the failure of one renewal. If the store refuses this name alone, because foreign data is in the way, the
         * tenure is lost, because no later renewal can succeed.
         */
        private void failed(Due due, StoreException cause, long now) {
            if (cause.effect() == StoreException.Effect.REFUSED) {
                String reason = "its renewal was refused: " + cause.getMessage();
                engine.event(due.slot, (s, out) -> s.renewalRefused(due.tenure, reason, now, out));
                due.done.complete(Optional.empty());
            } else {
                fail(due, cause.getMessage() + "");
            }
        }

        @Override
        void failed(StoreException cause, boolean late) {
            if (!late) {
                batch.forEach(due -> fail(due, cause.getMessage() + ""));
            }
        }
    }
}
