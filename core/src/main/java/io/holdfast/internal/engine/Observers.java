package io.holdfast.internal.engine;

import io.holdfast.LockObserver;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.Outcome;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The observers of the acquires and holds of one client.
 *
 * <ol>
 *   <li>An observer that throws is logged. It changes no outcome.
 *   <li>The end of an acquire is passed on once, whoever ends it first.
 *   <li>The end of a hold is passed on once. The slot's mutex decides the race between the first observation and the end.
 * </ol>
 */
public final class Observers {

    private final Events events;
    private final Executor losses;
    private final List<LockObserver> observers = new CopyOnWriteArrayList<>();
    private final Observed unobserved = new Observed(List.of());

    /**
     * Creates the observers of a client, of which there are none yet.
     *
     * @param losses reports losses, which are detected on threads that must not run foreign code
     */
    Observers(Events events, Executor losses) {
        this.events = events;
        this.losses = losses;
    }

    public void add(LockObserver observer) {
        observers.add(Objects.requireNonNull(observer, "observer"));
    }

    public void remove(LockObserver observer) {
        observers.remove(observer);
    }

    /** Begins the observation of an acquire. */
    public Observed acquire(String name, HoldSpec spec) {
        return observers.isEmpty()
                ? unobserved
                : new Observed(each(observers, observer -> observer.acquire(kind(spec), name)));
    }

    private static LockObserver.Kind kind(HoldSpec spec) {
        return switch (spec.share().mode()) {
            case LOCK -> spec.waiting() == HoldSpec.Waiting.FAIR ? LockObserver.Kind.FAIR_LOCK : LockObserver.Kind.LOCK;
            case READ -> LockObserver.Kind.READ_LOCK;
            case WRITE -> LockObserver.Kind.WRITE_LOCK;
            case PERMITS -> LockObserver.Kind.PERMITS;
        };
    }

    /** Reports that the hold was released. */
    public void released(Hold hold) {
        tell(hold.takeObservers(), LockObserver.Holding::released);
    }

    /** Reports that the hold was lost, or that its owner ended. */
    void lost(Hold hold, String reason) {
        lost(hold.takeObservers(), reason);
    }

    private void lost(List<LockObserver.Holding> holding, String reason) {
        if (!holding.isEmpty()) {
            losses.execute(() -> tell(holding, one -> one.lost(reason)));
        }
    }

    private <T> void tell(List<T> called, Consumer<T> call) {
        var unused = each(called, one -> {
            call.accept(one);
            return one;
        });
    }

    /** Calls each observer, and returns the results. An observer that throws has none. */
    private <T, R> List<R> each(List<T> called, Function<T, R> call) {
        return called.stream().flatMap(one -> guarded(one, call).stream()).toList();
    }

    private <T, R> Optional<R> guarded(T observer, Function<T, R> call) {
        try {
            return Optional.of(Objects.requireNonNull(call.apply(observer), "the observer returned null"));
        } catch (Throwable e) {
            events.failure("an observer of the type " + observer.getClass().getName(), e);
            return Optional.empty();
        }
    }

    /** An acquire under observation. */
    public final class Observed {

        private final List<LockObserver.Acquiring> acquiring;
        private final AtomicBoolean ended = new AtomicBoolean();

        private Observed(List<LockObserver.Acquiring> acquiring) {
            this.acquiring = acquiring;
        }

        /** Reports the outcome of the acquire. A hold is observed from now on. */
        public void ended(Outcome outcome) {
            if (outcome instanceof Outcome.Failed failure) {
                failed(failure.error());
            } else if (outcome instanceof Hold hold) {
                acquired(hold);
            } else {
                end(LockObserver.Acquiring::timedOut);
            }
        }

        private void acquired(Hold hold) {
            if (mayEnd()) {
                observe(hold, each(acquiring, one -> one.acquired(hold.token)));
            }
        }

        private void observe(Hold hold, List<LockObserver.Holding> holding) {
            if (hold.slot.locked(() -> hold.observe(holding))) {
                return;
            }
            if (hold.lost()) {
                lost(holding, hold.lossReason + "");
            } else {
                tell(holding, LockObserver.Holding::released);
            }
        }

        /** Reports that the acquire was given up. */
        public void withdrawn() {
            end(LockObserver.Acquiring::withdrawn);
        }

        /** Reports that the acquire failed. */
        public void failed(Throwable error) {
            end(one -> one.failed(error));
        }

        private void end(Consumer<LockObserver.Acquiring> how) {
            if (mayEnd()) {
                tell(acquiring, how);
            }
        }

        /** Returns {@code true} once. Without observers, nothing is written, because all acquires share this object then. */
        private boolean mayEnd() {
            return !acquiring.isEmpty() && ended.compareAndSet(false, true);
        }
    }
}
