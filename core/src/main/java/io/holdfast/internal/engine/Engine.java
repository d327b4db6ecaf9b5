package io.holdfast.internal.engine;

import io.holdfast.HoldfastException;
import io.holdfast.LockEvent;
import io.holdfast.LockReport;
import io.holdfast.internal.access.Settings;
import io.holdfast.internal.slot.Counters;
import io.holdfast.internal.slot.Effect;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.MaxHold;
import io.holdfast.internal.slot.Settlement;
import io.holdfast.internal.slot.Slot;
import io.holdfast.internal.slot.SlotConfig;
import io.holdfast.internal.slot.Slots;
import io.holdfast.internal.slot.Tenure;
import io.holdfast.internal.slot.Waiter;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Share;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * The engine of one client. It passes events to the {@link Slot}s, and carries out their effects, mostly by calls to the store.
 * All events of slots and all calls to the store go through it.
 *
 * <ol>
 *   <li>Effects are carried out after the slot's mutex was released. So an answer may be applied before the effect of an
 *       earlier event is carried out (reordering).
 *   <li>An effect that fails is logged. The other effects are still carried out.
 *   <li>The timer's thread never calls the store.
 * </ol>
 */
public final class Engine implements SlotConfig.ClientState {

    private static final long SLICE_FLOOR_NANOS = 2_000_000;
    private static final long SLICE_CEILING_NANOS = 50_000_000;
    private static final long SLICE_HANDOVERS = 4;
    private static final long ROUND_TRIP_WEIGHT = 8;

    public final Settings settings;
    public final LockStore store;
    public final Threads threads;
    public final String clientId;
    public final Events events;
    final Platform platform;
    final CallSites callSites;
    final Watchdog watchdog;
    public final Counters counters = new Counters();
    public final SlotConfig config;
    public final Slots slots;
    public final Tasks tasks;
    public final Calls calls;
    public final Settlements settlements;
    public final Waits waits;
    public final Holds holds;
    public final Inspector inspector;
    public final Observers observers;
    public final Health health = new Health(this);
    private final Map<String, HoldDescription> reservations = new ConcurrentHashMap<>();
    private final Outages outages = new Outages(this);

    private final AtomicLong tenureNumbers = new AtomicLong();
    private final AtomicBoolean confirming = new AtomicBoolean();

    /** The state of a linear congruential generator (MMIX, by Knuth). It takes no lock under a slot's mutex. */
    private final AtomicLong jitter;

    /** When the last confirmation of signals was requested. It counts if no gap was reported since. */
    private volatile long signalsConfirmedAt;

    /** When the last gap was reported. A gap just before the start is assumed, so that nothing counts as confirmed at first. */
    private volatile long lastGapAt;

    private volatile long roundTrip;

    public Engine(Settings settings, String clientId, LockStore store, Threads threads, Events events) {
        this.settings = settings;
        this.platform = settings.store().platform();
        this.clientId = clientId;
        this.store = store;
        this.threads = threads;
        this.events = events;
        lastGapAt = platform.nanoTime() - 1;
        signalsConfirmedAt = lastGapAt;
        this.jitter = new AtomicLong(platform.randomLong());
        this.config = config();
        this.slots = new Slots(config, this::nextTenure);
        this.tasks = new Tasks(threads, events);
        this.observers = new Observers(events, threads.losses());
        this.calls = new Calls(this, store.capabilities().blocking() ? threads.senders() : Runnable::run);
        this.settlements = new Settlements(platform, store, config, calls, tasks, ConcurrentHashMap.newKeySet());
        this.callSites = new CallSites(platform, settings.recordPlaces());
        this.watchdog = new Watchdog(this);
        this.waits = new Waits(this);
        this.holds = new Holds(new HoldValidity(this), new HoldRenewals(this), new HoldReleases(this));
        this.inspector = new Inspector(this);
    }

    private SlotConfig config() {
        return new SlotConfig(
                settings.pollInterval().toNanos(),
                settings.store().commandTimeout().toNanos(),
                settings.maxOutage().toNanos(),
                store.capabilities().claimWindow().toNanos(),
                store.capabilities().signals(),
                store.capabilities().fairPlaces(),
                HoldSpec.renewed(
                        settings.lease(),
                        MaxHold.of(settings.maxHold(), settings.onMaxHold()),
                        HoldSpec.Waiting.BARGING),
                counters,
                this);
    }

    // ---- slots

    /** Runs an event of a slot, and carries out its effects. */
    public void event(Slot slot, BiConsumer<Slot, Effect.Buffer> event) {
        run(slot, slot.on(event));
    }

    /**
     * Runs an event of a slot on the timer's thread, which must not call the store. Losses and notifications are carried out at
     * once. All other effects run in the background.
     */
    void eventOnTimer(Slot slot, BiConsumer<Slot, Effect.Buffer> event) {
        for (Effect effect : slot.on(event).effects()) {
            if (effect instanceof Effect.Lost || effect instanceof Effect.Notify) {
                runGuarded(slot, effect);
            } else {
                threads.background().execute(() -> runGuarded(slot, effect));
            }
        }
    }

    public TenureId nextTenure() {
        return new TenureId(clientId, tenureNumbers.incrementAndGet());
    }

    /** Returns the tenures that this client holds now. */
    List<Tenure> heldTenures() {
        return slots.all()
                .map(Slot::tenure)
                .filter(tenure -> tenure != null && tenure.held())
                .toList();
    }

    // ---- effects

    void run(Slot slot, Effect.Buffer out) {
        for (Effect effect : out.effects()) {
            runGuarded(slot, effect);
        }
    }

    /** Carries out one effect. If it fails, the other effects are still carried out. */
    private void runGuarded(Slot slot, Effect effect) {
        try {
            run(slot, effect);
        } catch (Throwable e) {
            events.failure(slot.label() + ": " + effect, e);
        }
    }

    private void run(Slot slot, Effect effect) {
        if (effect instanceof Effect.Notify tell) {
            tell.waiter().notifyRequester();
        } else if (effect instanceof Effect.Request ask) {
            calls.start(new AcquireCall(this, slot, ask));
        } else if (effect instanceof Effect.Settle settle) {
            settlements.start(settle.settlement());
        } else if (effect instanceof Effect.InOtherSlot other) {
            run(other.slot(), other.effects());
        } else if (effect instanceof Effect.Watch watch) {
            watchdog.watch(slot, watch.tenure());
        } else if (effect instanceof Effect.Renew renew) {
            var unused = watchdog.renewNow(slot, renew.tenure(), renew.spec());
        } else if (effect instanceof Effect.PollIn poll) {
            tasks.run(poll.nanos(), () -> event(slot, (s, o) -> s.poll(poll, platform.nanoTime(), o)));
        } else if (effect instanceof Effect.Retired) {
            slots.remove(slot);
        } else if (effect instanceof Effect.Granted granted) {
            Hold hold = granted.hold();
            events.detail(
                    slot.share.mode(),
                    new LockEvent.Granted(slot.name, hold.token, hold.owner(), granted.handedOver()));
        } else if (effect instanceof Effect.Lost lost) {
            reportLoss(slot, lost.hold(), lost.reason());
        } else if (effect instanceof Effect.Abandoned abandoned) {
            reportAbandoned(slot, abandoned.hold());
        } else if (effect instanceof Effect.ConfirmSignals) {
            confirmSignals();
        } else if (effect instanceof Effect.Released released) {
            observers.released(released.hold());
            released.hold().clientClosed();
            var unused = holds.releases().verdict(released.hold(), released.settlement());
        } else if (effect instanceof Effect.SettleIn settle) {
            releaseWhenDue(slot.name, settle);
        }
    }

    /**
     * Keeps a name taken after {@code runOnce} until its time is up, and then releases it. Until then, this client describes
     * the hold to other clients.
     */
    private void releaseWhenDue(String name, Effect.SettleIn effect) {
        Hold hold = effect.hold();
        String owner = "reserved by runOnce until " + toInstant(platform.nanoTime() + effect.nanos()) + ", started by "
                + hold.owner();
        HoldDescription run = new HoldDescription(hold.tenure.id, owner, toInstant(hold.since), hold.token);
        reservations.put(name, run);
        tasks.run(effect.nanos(), () -> {
            reservations.remove(name, run);
            settlements.start(effect.settlement());
        });
    }

    /** Reports a loss that a release has detected. Only the first caller reports it. */
    void lostAtRelease(Hold hold, String reason) {
        if (hold.slot.locked(() -> hold.lose(reason))) {
            reportLoss(hold.slot, hold, reason);
        }
    }

    private void reportLoss(Slot slot, Hold hold, String reason) {
        counters.lost.increment();
        // first: a failing log must not hide the loss from its owner
        var loss = ErrorTexts.lost(hold, reason);
        hold.lossActions().forEach(action -> tasks.notifyLoss(action, loss));
        observers.lost(hold, reason);
        Share.Mode mode = slot.share.mode();
        events.warn(
                mode,
                new LockEvent.Lost(slot.name, hold.token, hold.owner(), reason),
                "another owner may hold the " + ErrorTexts.held(mode) + ": fence all writes with the token");
    }

    private void reportAbandoned(Slot slot, Hold hold) {
        observers.lost(hold, "its owner ended without releasing it");
        String acquiredAt = hold.callSite.orElse("not recorded, because recordPlaces is off");
        Share.Mode mode = slot.share.mode();
        events.warn(
                mode,
                new LockEvent.Abandoned(slot.name, hold.token, hold.owner(), acquiredAt),
                (mode == Share.Mode.PERMITS ? "close permits" : "unlock in finally, close leases")
                        + "; others can acquire the " + ErrorTexts.held(mode) + " when its lease ends");
    }

    /**
     * Adds a round trip to the moving average, if the answer came in time. A lost update does no more harm than a lost sample.
     */
    void recordRoundTrip(long nanos) {
        long mean = roundTrip;
        if (nanos < config.command()) {
            roundTrip = mean + (nanos - mean) / ROUND_TRIP_WEIGHT;
        }
    }

    /** Returns the moving average of the round trips of acquires. */
    public long roundTripMicros() {
        return roundTrip / 1_000;
    }

    // ---- signals

    public void signal(Signal signal) {
        counters.signals.increment();
        long now = platform.nanoTime();
        if (signal instanceof Signal.Freed freed) {
            deliver(freed.name(), (s, out) -> s.freed(out));
        } else if (signal instanceof Signal.Opened opened) {
            deliver(opened.name(), (s, out) -> s.opened(out));
        } else if (signal instanceof Signal.Wanted wanted) {
            deliver(wanted.name(), (s, out) -> s.contended(now, out));
        } else if (signal instanceof Signal.Revoked revoked) {
            deliver(revoked.name(), (s, out) -> s.revoked(revoked.tenure(), now, out));
        } else if (signal instanceof Signal.Assigned assigned) {
            assigned(assigned, now);
        } else if (signal instanceof Signal.Gap gap) {
            lastGapAt = now;
            slots.each(slot -> {
                if (gap.names().test(slot.name)) {
                    event(slot, (s, out) -> s.gap(now, out));
                }
            });
        } else if (signal instanceof Signal.Down down) {
            outages.down(down);
        } else if (signal instanceof Signal.Up up) {
            outages.up(up);
        }
    }

    private void deliver(String name, BiConsumer<Slot, Effect.Buffer> event) {
        slots.each(name, slot -> event(slot, event));
    }

    /**
     * Passes an assignment to the slots of the name. If no waiter is left for the tenure, the grant is released, because it
     * would have no owner (orphan).
     */
    private void assigned(Signal.Assigned signal, long now) {
        boolean[] known = {false};
        deliver(signal.name(), (s, out) -> known[0] |= s.share.mode() == signal.mode() && s.assigned(signal, now, out));
        if (!known[0] && !settlements.isReleasing(signal.tenure()) && !tasks.isClosed()) {
            Tenure unknown = new Tenure(signal.tenure(), Share.of(signal.mode()));
            settlements.start(new Settlement(signal.name(), unknown, true, List.of()));
        }
    }

    private void confirmSignals() {
        if (confirming.compareAndSet(false, true)) {
            long before = platform.nanoTime();
            var unused = calls.ask(() -> store.confirmSignals().thenApply(nothing -> true))
                    .thenRun(() -> signalsConfirmedAt = before)
                    .whenComplete((confirmed, error) -> confirming.set(false));
        }
    }

    // ---- questions of a slot

    @Override
    public long sliceNanos() {
        return Math.min(SLICE_CEILING_NANOS, Math.max(SLICE_FLOOR_NANOS, SLICE_HANDOVERS * roundTrip));
    }

    @Override
    public boolean signalsFresh(long now) {
        return signalsConfirmedAt - lastGapAt > 0 && now - signalsConfirmedAt < config.poll();
    }

    @Override
    public long jittered(long nanos) {
        long random = jitter.updateAndGet(x -> x * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L) >>> 16;
        return nanos - nanos / 10 + random % (nanos / 5 + 1);
    }

    @Override
    public boolean hasGrantListeners() {
        return events.detailed();
    }

    @Override
    public HoldfastException failure(String name, Waiter waiter, Tenure asked, StoreException cause, long now) {
        return ErrorTexts.notAcquired(name, waiter, asked, cause, store.describe(), now);
    }

    // ---- description and close

    /** Describes the hold of this client under the name, for other clients that ask about it. */
    public Optional<HoldDescription> describe(String name) {
        return slots.holds(name)
                .findFirst()
                .map(hold -> new HoldDescription(
                        hold.tenure.id, hold.owner(), toInstant(hold.since), hold.token, callSites.of(hold)))
                .or(() -> slots.lingeringTenure(name)
                        .map(kept -> new HoldDescription(
                                kept.tenure().id, LockReport.Holder.KEPT, toInstant(kept.since()), kept.token())))
                .or(() -> Optional.ofNullable(reservations.get(name)));
    }

    private Instant toInstant(long nanoTime) {
        return Instant.ofEpochMilli(platform.wallMillis() - (platform.nanoTime() - nanoTime) / 1_000_000);
    }

    /** Rejects new waiters, and ends all waits and holds. */
    public void shutDown() {
        tasks.close();
        long now = platform.nanoTime();
        slots.each(slot ->
                event(slot, (s, out) -> s.close(() -> ErrorTexts.closed(s.label(), settings.name()), now, out)));
        tasks.runPending();
    }
}
