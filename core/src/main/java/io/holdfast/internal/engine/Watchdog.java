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
 * The watchdog of one client. It renews held tenures in time, and ends at their deadline those that could not be renewed.
 *
 * <ol>
 *   <li>While a tenure is held, or a lost hold is not cleared, a wake-up is scheduled. A scan of all slots runs once a second.
 *   <li>A tenure that needs a check before the next scan has an entry in a {@link DueQueue}. The timer is set to the earlier of
 *       both times.
 *   <li>The timer's thread fires deadlines. It never calls the store and never runs code of users, so neither a slow store nor
 *       a slow listener delays a deadline.
 *   <li>One batch never mixes servers.
 *   <li>No renewal is sent for a tenure that ended while the renewal waited for its thread.
 *   <li>A check that fails is repeated soon. It stops neither the other checks nor the scans.
 * </ol>
 *
 * <p>A check ends a tenure at its deadline, and releases a tenure that has lingered for long enough. It detects dead owners,
 * and holds that are older than {@code maxHold}. It also collects tenures that are due within the next tenth of their renewal
 * period. These are renewed in batches, on a thread of their own. A longer lease costs nothing between two scans. The watchdog
 * never sees a lock that is acquired and released between two scans.
 *
 * <p>The scan also detects that the wall clock and {@code nanoTime} disagree, because of a suspend or a clock step. In that
 * case, every held tenure is verified by a renewal, except those that linger.
 */
final class Watchdog {

    private static final long SCAN_NANOS = 1_000_000_000;
    private static final long EARLY_SHARE = 10;
    private static final long STEP_NANOS = 2_000_000;
    private static final long RETRY_NANOS = 100_000_000;

    private static final String UNDELIVERED =
            "its future was not completed within the lease, because the executor for callbacks is"
                    + " blocked; it was released";

    /** A tenure that is due for renewal. */
    private record Due(Slot slot, Tenure tenure, HoldSpec spec, CompletableFuture<Optional<Validity>> done) {

        Due(Slot slot, Tenure tenure, HoldSpec spec) {
            this(slot, tenure, spec, new CompletableFuture<>());
        }
    }

    private final Engine engine;
    private final LockStore store;
    private final Platform platform;
    private final MaxHoldAction maxHoldAction;
    private final WakeUp wakeUp;
    private final DueQueue checks = new DueQueue();
    private long skew;
    private long scannedAt;
    private @Nullable Throwable scanError;

    /** The time of the last answer to a renewal. */
    private volatile long lastAnswerAt;

    /** The send time of the latest renewal that was answered. */
    private volatile long lastAnsweredSent;

    Watchdog(Engine engine) {
        this.engine = engine;
        this.store = engine.store;
        this.platform = engine.platform;
        this.maxHoldAction = new MaxHoldAction(engine);
        this.wakeUp = new WakeUp((task, nanos) -> engine.threads.timer().schedule(nanos, task), SCAN_NANOS, this::wake);
        this.skew = Validity.skew(platform.nanoTime(), platform.wallMillis());
        this.lastAnswerAt = platform.nanoTime();
        this.lastAnsweredSent = lastAnswerAt;
        this.scannedAt = lastAnswerAt - SCAN_NANOS;
    }

    /** Schedules the next check of the tenure, and the wake-up of the timer for it. */
    void watch(Slot slot, Tenure tenure) {
        wakeUp.wakeBy(scheduleCheck(slot, tenure, platform.nanoTime() + SCAN_NANOS), platform.nanoTime());
    }

    /**
     * Schedules a check of the tenure if it needs one before the given scan. Returns the time of the next check, which is the
     * time of the scan at the latest.
     */
    private long scheduleCheck(Slot slot, Tenure tenure, long scan) {
        long checkAt = nextCheckAt(tenure);
        if (checkAt - scan >= 0) {
            return scan;
        }
        checks.schedule(new DueQueue.Check(slot, tenure, checkAt, early(tenure)));
        return checkAt;
    }

    /** Returns how much earlier than it is due the tenure may be renewed, so that renewals share a batch. */
    private static long early(Tenure tenure) {
        Validity validity = tenure.validity;
        long due = tenure.renewDue;
        long period = due == Durations.NEVER ? 0 : Math.min(validity.lease() / 3, due - validity.sent());
        return Math.max(0, period / EARLY_SHARE);
    }

    private long nextCheckAt(Tenure tenure) {
        long lingersUntil = tenure.lingerUntil;
        if (lingersUntil != Durations.NEVER) {
            return lingersUntil;
        }
        long deadline = tenure.validity.deadline();
        long resendAt = tenure.renewSent == Durations.NEVER ? tenure.renewDue : resendAt(tenure);
        long due = resendAt - tenure.renewDue > 0 ? resendAt : tenure.renewDue;
        return tenure.renewDue != Durations.NEVER && due - deadline < 0 ? due : deadline;
    }

    /**
     * Returns the time at which an unanswered renewal is sent again.
     *
     * <p>While a busy server still answers requests that were sent before this renewal, this renewal waits in the queue of that
     * server. Sending it again would double the load of a server that is already overloaded, until nothing is renewed in time
     * (congestion collapse).
     */
    private long resendAt(Tenure tenure) {
        long sent = tenure.renewSent;
        boolean stillQueued = lastAnswerAt - sent > 0 && lastAnsweredSent - sent <= 0;
        return tenure.renewAgainAt(engine.config.command()) + (stillQueued ? lastAnswerAt - sent : 0);
    }

    private boolean awaitsAnswer(Tenure tenure, long now) {
        return tenure.renewSent != Durations.NEVER && now - resendAt(tenure) < 0;
    }

    /**
     * Checks the tenures that are due, or all of them. An error does not end the loop: it is logged, and the next scan is
     * scheduled.
     */
    private void wake() {
        List<Due> due = new ArrayList<>();
        long now = platform.nanoTime();
        try {
            checkDue(now, due);
        } catch (Throwable e) {
            scanError = e;
            wakeUp.wakeBy(platform.nanoTime() + STEP_NANOS, platform.nanoTime());
        } finally {
            if (!due.isEmpty()) {
                engine.threads.renewal().execute(() -> renewGuarded(due, now));
            }
            // last: a failing log must not prevent the renewals
            Optional.ofNullable(scanError).ifPresent(e -> engine.events.failure("a scan of the watchdog", e));
        }
    }

    private void checkDue(long now, List<Due> due) {
        boolean scanNeeded = true;
        scanError = null;
        if (now - scannedAt >= SCAN_NANOS) {
            scannedAt = now;
            scanNeeded = scan(now, due);
        }
        for (DueQueue.Check check : checks.pollDue(now)) {
            checkGuarded(check.slot(), false, now, due);
        }
        if (scanNeeded) {
            wakeUp.wakeBy(checks.nextAt(scannedAt + SCAN_NANOS), platform.nanoTime());
        }
    }

    /**
     * Checks all slots. Returns {@code true} if another scan is needed. If a check failed, the next scan detects a clock step
     * again.
     */
    private boolean scan(long now, List<Due> due) {
        long currentSkew = Validity.skew(now, platform.wallMillis());
        boolean stepped = Math.abs(currentSkew - skew) > STEP_NANOS;
        boolean scanNeeded = false;
        if (stepped) {
            engine.counters.clockSteps.increment();
        }
        for (Slot slot : (Iterable<Slot>) engine.slots.all()::iterator) {
            scanNeeded |= checkGuarded(slot, stepped, now, due);
        }
        skew = scanError == null ? currentSkew : skew;
        return scanNeeded;
    }

    /**
     * Checks one slot, and schedules its next check. If the check fails, the other slots are still checked, and this one is
     * checked again soon.
     */
    private boolean checkGuarded(Slot slot, boolean stepped, long now, List<Due> due) {
        try {
            boolean scanNeeded = check(slot, stepped, now, due);
            Tenure tenure = slot.tenure();
            if (tenure != null && tenure.held()) {
                scheduleCheck(slot, tenure, now + SCAN_NANOS);
            }
            return scanNeeded;
        } catch (Throwable e) {
            scanError = e;
            Tenure tenure = slot.tenure();
            if (tenure != null) {
                checks.schedule(new DueQueue.Check(slot, tenure, now + RETRY_NANOS, 0));
            }
            return true;
        }
    }

    /** Checks one slot. Returns {@code true} if a tenure is held there, or if a lost hold is not cleared yet. */
    private boolean check(Slot slot, boolean stepped, long now, List<Due> due) {
        boolean lost = slot.hasLostHolds();
        if (lost) {
            engine.eventOnTimer(slot, (s, out) -> s.clearDeadOwners(now, out));
        }
        Tenure tenure = slot.tenure();
        if (tenure != null && tenure.held()) {
            check(slot, tenure, stepped, now, due);
            return true;
        }
        return lost;
    }

    private void check(Slot slot, Tenure tenure, boolean stepped, long now, List<Due> due) {
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
                checkOwner(slot, hold, now);
            }
        }
        collectIfDue(slot, tenure, stepped, now, due);
    }

    private void collectIfDue(Slot slot, Tenure tenure, boolean stepped, long now, List<Due> due) {
        boolean renewable = tenure.renewDue != Durations.NEVER || (stepped && slot.owner() != null);
        boolean isDue = tenure.renewDue != Durations.NEVER && tenure.renewDue - early(tenure) - now <= 0;
        if (tenure.held() && renewable && (stepped || (isDue && !awaitsAnswer(tenure, now)))) {
            due.add(new Due(slot, tenure, slot.locked(() -> tenure.renewalSent(now, slot.renewalSpec(tenure, now)))));
        }
    }

    private void checkOwner(Slot slot, Hold hold, long now) {
        if (hold.isAbandoned()) {
            engine.eventOnTimer(slot, (s, out) -> s.abandoned(hold, now, out));
        } else if (hold.isUndelivered(now)) {
            engine.eventOnTimer(slot, (s, out) -> s.undelivered(hold, UNDELIVERED, now, out));
        } else if (hold.spec.maxHold().reached(hold, now)) {
            maxHoldAction.run(slot, hold, now);
        }
        Validity validity = hold.tenure.validity;
        boolean late = !hold.tenure.lateReported && now - validity.sent() > validity.lease() / 3 * 2;
        if (late && slot.locked(hold::needsRenewal)) {
            hold.tenure.lateReported = true;
            engine.events.warn(
                    slot.share.mode(),
                    new LockEvent.RenewalLate(
                            slot.name, hold.token, Duration.ofNanos(validity.remaining(now)), hold.tenure.lastFailure),
                    "a " + ErrorTexts.held(slot.share.mode()) + " is lost unless " + store.describe()
                            + " answers before its lease ends");
        }
    }

    // ---- renewals

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
     * Renews the tenures in batches. A batch never mixes the names of different servers, so a silent server delays its own
     * names only.
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
     * Renews one tenure now, outside the batches. The future completes with the proven validity. It is empty if the renewal was
     * not confirmed.
     */
    CompletableFuture<Optional<Validity>> renewNow(Slot slot, Tenure tenure, HoldSpec spec) {
        Due due = new Due(slot, tenure, spec);
        slot.locked(() -> tenure.renewalSent(platform.nanoTime(), spec));
        engine.threads.renewal().execute(() -> send(List.of(due)));
        return due.done;
    }

    /**
     * Sends a batch on this thread, which is reserved for renewals. A tenure may have been released while its renewal waited
     * for this thread. Its renewal is dropped, because the store would report the tenure as lost.
     */
    private void send(List<Due> batch) {
        List<Due> open = new ArrayList<>(batch);
        open.removeIf(due -> due.tenure.state == Tenure.State.ENDED && due.done.complete(Optional.empty()));
        if (!open.isEmpty()) {
            engine.calls.start(new RenewCall(open), Runnable::run);
        }
    }

    private void fail(Due due, String why) {
        engine.counters.renewalFailures.increment();
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
                    .withMinHold(due.spec.coveredMinHold())
                    .withFloor(due.tenure.tokens.floor());
        }

        @Override
        void replied(List<Renew.Reply> replies) {
            lastAnswerAt = platform.nanoTime();
            lastAnsweredSent = lastAnsweredSent - sent() > 0 ? lastAnsweredSent : sent();
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
                boolean confirmed =
                        due.tenure.held() && due.tenure.validity.sent() - sent() >= 0 && proven.unexpired(now);
                due.done.complete(confirmed ? Optional.of(proven) : Optional.empty());
            } else if (reply instanceof Renew.Lost) {
                String reason = store.describe() + " no longer holds it (expired, forced, flushed, or failed over)";
                engine.event(due.slot, (s, out) -> s.renewalLost(due.tenure, reason, now, out));
                due.done.complete(Optional.empty());
            } else if (reply instanceof Renew.Failed failed) {
                failed(due, failed.cause(), now);
            }
        }

        /**
         * Handles the failure of one renewal. If the store refuses this name alone, for example because of foreign data under
         * its key, the tenure is lost. No later renewal can succeed.
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
