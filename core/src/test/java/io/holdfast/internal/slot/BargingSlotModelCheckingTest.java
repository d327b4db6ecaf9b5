package io.holdfast.internal.slot;

import io.holdfast.OnMaxHold;
import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities.Signals;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every interleaving of a few arrivals, wake-ups, withdrawals and releases on one {@link BargingSlot}, with its commands carried
 * out outside its mutex, as the engine does, against a store that answers at once. Checked is what must hold in each: one
 * owner at a time, rising tokens, and, when everybody has left, nothing held and nobody forgotten.
 */
@Tag("ci")
@Param(name = "who", gen = IntGen.class, conf = "0:3")
public class BargingSlotModelCheckingTest {

    private static final int PEOPLE = 4;
    static final HoldSpec SPEC = HoldSpec.renewed(
            Duration.ofSeconds(30), MaxHold.of(Optional.empty(), OnMaxHold.WARN), HoldSpec.Waiting.BARGING);

    public static final SlotConfig CONFIG = new SlotConfig(
            1_000_000_000,
            2_000_000_000,
            30_000_000_000L,
            1_000_000_000,
            Signals.PUSHED,
            Integer.MAX_VALUE,
            SPEC,
            new Counters(),
            new Calm());

    private final AtomicLong ids = new AtomicLong();
    private final Slot slot = newSlot(() -> new TenureId("c", ids.incrementAndGet()));
    private final AtomicReferenceArray<Person> people = new AtomicReferenceArray<>(PEOPLE);
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicLong highestToken = new AtomicLong();
    private final AtomicReference<@Nullable TenureId> holder = new AtomicReference<>();
    private final AtomicLong blocks = new AtomicLong();

    Slot newSlot(Supplier<TenureId> ids) {
        return new BargingSlot("n", Share.LOCK, CONFIG, ids);
    }

    HoldSpec spec() {
        return SPEC;
    }

    @Test
    void exclusionTokensAndNobodyForgotten() {
        check(BargingSlotModelCheckingTest.class);
    }

    static void check(Class<?> scene) {
        new ModelCheckingOptions()
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(0)
                .iterations(Integer.getInteger("holdfast.scenarios", 5))
                .invocationsPerIteration(300)
                .invocationTimeout$lincheck(60_000) // on a busy machine its own instrumentation takes seconds
                .verifier(EpsilonVerifier.class)
                .check(scene);
    }

    @Operation
    public boolean arrive(@Param(name = "who") int who) {
        Person person = new Person(spec(), who % 2 == 0);
        if (!people.compareAndSet(who, null, person)) {
            return false;
        }
        boolean[] taken = {false};
        event((s, out) -> taken[0] = s.arrive(person.waiter, 0, out));
        if (!taken[0]) {
            people.set(who, null);
        }
        return enterIfGranted(person);
    }

    @Operation
    public boolean wake(@Param(name = "who") int who) {
        Person person = people.get(who);
        if (person == null) {
            return false;
        }
        event((s, out) -> s.tryAcquire(person.waiter, 0, out));
        return enterIfGranted(person);
    }

    @Operation
    public boolean withdraw(@Param(name = "who") int who) {
        Person person = people.get(who);
        if (person == null) {
            return false;
        }
        boolean[] withdrawn = {false};
        event((s, out) -> withdrawn[0] = s.withdraw(person.waiter, 0, out));
        if (withdrawn[0]) {
            people.set(who, null);
        }
        return withdrawn[0];
    }

    @Operation
    public boolean release(@Param(name = "who") int who) {
        Person person = people.get(who);
        if (person == null || !enterIfGranted(person) || !person.leaving.compareAndSet(0, 1)) {
            return false;
        }
        inside.decrementAndGet();
        Hold hold = (Hold) person.waiter.outcome;
        event(hold.slot, (s, out) -> s.release(hold, 0, out));
        people.set(who, null);
        return true;
    }

    /** At rest whoever still waits is served when told and everybody leaves, and nothing is left. */
    @Validate
    public void everybodyIsServedAndNothingIsLeft() {
        for (int round = 0; round < 2 * PEOPLE; round++) {
            for (int who = 0; who < PEOPLE; who++) {
                Person person = people.get(who);
                if (person != null && (person.told || person.waiter.outcome != null)) {
                    wake(who);
                    release(who);
                }
            }
        }
        for (int who = 0; who < PEOPLE; who++) {
            if (people.get(who) != null) {
                throw new AssertionError("forgotten: " + who);
            }
        }
        event(Slot::stopLingering);
        if (holder.get() != null || slot.tenure() != null) {
            throw new AssertionError("left at the store: " + holder.get());
        }
    }

    private boolean enterIfGranted(Person person) {
        if (!(person.waiter.outcome instanceof Hold hold)) {
            return false;
        }
        if (person.entered.compareAndSet(0, 1)) {
            if (inside.incrementAndGet() != 1) {
                throw new AssertionError("two owners inside");
            }
            if (highestToken.getAndSet(hold.token) >= hold.token) {
                throw new AssertionError("token " + hold.token + " does not rise");
            }
        }
        return true;
    }

    final void event(BiConsumer<Slot, Effect.Buffer> event) {
        event(slot, event);
    }

    private void event(Slot where, BiConsumer<Slot, Effect.Buffer> event) {
        where.on(event).effects().forEach(this::run);
    }

    private void run(Effect effect) {
        if (effect instanceof Effect.Request ask) {
            ask(ask.tenure(), ask.queueing() == Acquire.Queueing.NONE ? 0 : 1);
        } else if (effect instanceof Effect.InOtherSlot other) {
            other.effects().effects().forEach(this::run);
        } else if (effect instanceof Effect.Settle giveUp) {
            if (holder.compareAndSet(giveUp.settlement().tenure.id, null)) {
                event((s, out) -> s.freed(out));
            }
        } else if (effect instanceof Effect.Notify tell) {
            tell.waiter().notifyRequester();
        }
    }

    private void ask(Tenure tenure, long arrival) {
        if (holder.compareAndSet(null, tenure.id)) {
            long first = blocks.incrementAndGet() << 10;
            var reply = new Acquire.Granted(
                    new TokenBlock(first, first + 1023), Duration.ofSeconds(30), 0, List.of(), 0, 1);
            var proven = Validity.of(0, 0, SPEC.nanos(), SPEC.nanos());
            event((s, out) -> s.granted(tenure, reply, proven, 0, out));
            giveBackIfNotTaken(tenure);
        } else {
            var reply = new Acquire.Refused(Duration.ofSeconds(1), arrival, List.of(), Optional.empty(), 1, 1);
            event((s, out) -> s.refused(tenure, reply, new Tenure.ClockSample(0, 0, 1, 1), 0, out));
        }
    }

    /** A grant to a tenure that was given up meanwhile is undone by the repeated release of its settlement. */
    private void giveBackIfNotTaken(Tenure tenure) {
        if (tenure.state == Tenure.State.ENDED && holder.compareAndSet(tenure.id, null)) {
            event((s, out) -> s.freed(out));
        }
    }

    /** Somebody who asks, as a thread or as a future. */
    private static final class Person {

        final AtomicInteger entered = new AtomicInteger();
        final AtomicInteger leaving = new AtomicInteger();
        final Waiter waiter;
        volatile boolean told;

        Person(HoldSpec spec, boolean thread) {
            WeakReference<Object> lease = new WeakReference<>(this);
            Runnable tell = () -> told = true;
            waiter = thread
                    ? new Waiter(spec, 0, Durations.NEVER, Thread.currentThread(), lease, tell)
                    : new Waiter(spec, 0, Durations.NEVER, null, lease, tell);
        }
    }

    /** No foreign clients, no failures. */
    private static final class Calm implements SlotConfig.ClientState {

        @Override
        public long sliceNanos() {
            return 2_000_000;
        }

        @Override
        public boolean signalsFresh(long now) {
            return true;
        }

        @Override
        public long jittered(long nanos) {
            return nanos;
        }

        @Override
        public boolean hasGrantListeners() {
            return false;
        }

        @Override
        public RuntimeException failure(String name, Waiter waiter, Tenure asked, StoreException cause, long now) {
            return cause;
        }
    }
}
