package io.holdfast.internal.lock;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.BatchOutcome;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.MemberSpec;
import io.holdfast.internal.engine.BatchCall;
import io.holdfast.internal.engine.Observers;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.Outcome;
import io.holdfast.internal.slot.Slot;
import io.holdfast.internal.slot.Waiter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to acquire several locks of one client by one request. Each lock has a waiter of its own in its slot. No waiter
 * waits for a lock that is held.
 *
 * <ol>
 *   <li>All locks are acquired, or none. If one of the holds is missing or not valid, all holds are released.
 *   <li>The slots alone decide the outcomes. So every late, lost or unknown answer is settled by the slot of its name.
 *   <li>If another owner of this client holds or requests a member, the members after it are not requested (livelock).
 * </ol>
 */
final class BatchAcquire {

    private final ClientParts client;
    private final List<String> names;
    private final List<Waiter> waiters;
    private final List<Observers.Observed> observed;
    private final boolean interruptible;
    private final List<Slot> slots = new ArrayList<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    /**
     * Creates a batch that is not requested yet. The batch has no strong reference to a handle, so a forgotten lease can be
     * detected.
     *
     * @param thread the thread that waits for the answer; null if no thread waits
     * @param handles the handles to bind to the holds; empty if the thread is to own the holds
     */
    BatchAcquire(
            ClientParts client,
            List<ClientLock> locks,
            MemberSpec how,
            @Nullable Thread thread,
            List<LeaseHandle> handles) {
        this.client = client;
        this.names = locks.stream().map(ClientLock::name).toList();
        this.interruptible = how.interruptible();
        this.observed = locks.stream()
                .map(lock -> client.observers().acquire(lock.name(), lock.specFor(how)))
                .toList();
        long now = client.platform().nanoTime();
        String site = client.waits().callSite();
        this.waiters = IntStream.range(0, locks.size())
                .mapToObj(i -> {
                    var ref = handles.isEmpty() ? null : handles.get(i).reference();
                    return new Waiter(locks.get(i).specFor(how), now, now, thread, ref, () -> notified(i)).at(site);
                })
                .toList();
    }

    /**
     * Sends the request, and blocks until it is answered. If the batch is interruptible, an interrupt ends the wait. The
     * interrupt is preserved in any case.
     */
    BatchOutcome await(List<LeaseHandle> handles) {
        if (interruptible && Thread.currentThread().isInterrupted()) {
            observed.forEach(Observers.Observed::withdrawn);
            return new BatchOutcome.Unclear();
        }
        send();
        try {
            boolean answered = awaitAnswer();
            if (answered && isAcquired()) {
                return acquired(handles);
            }
            CompletableFuture<Void> released = answered ? releaseHolds() : withdraw();
            Awaiting.done(client.platform(), released, client.command());
            return answered ? refusal() : new BatchOutcome.Unclear();
        } catch (Throwable e) {
            withdraw();
            throw e;
        }
    }

    private boolean awaitAnswer() {
        Thread me = Thread.currentThread();
        Awaiting.whenDone(done, () -> client.platform().unpark(me));
        boolean interrupted = false;
        while (!done.isDone() && !(interruptible && interrupted)) {
            client.platform().park(done, Durations.NEVER);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            me.interrupt();
        }
        return done.isDone();
    }

    /** Sends the request without blocking. Completing or canceling the future withdraws the request. */
    CompletableFuture<BatchOutcome> start(List<LeaseHandle> handles) {
        CompletableFuture<BatchOutcome> future = new CompletableFuture<>();
        send();
        Awaiting.whenDone(done, () -> client.tasks().callbacks().execute(() -> deliverOrFail(future, handles)));
        Awaiting.whenDone(future, () -> {
            if (!done.isDone()) {
                withdraw();
            }
        });
        return future;
    }

    private void deliverOrFail(CompletableFuture<BatchOutcome> future, List<LeaseHandle> handles) {
        try {
            deliver(future, handles);
        } catch (Throwable e) {
            withdraw();
            future.completeExceptionally(e);
        }
    }

    private void deliver(CompletableFuture<BatchOutcome> future, List<LeaseHandle> handles) {
        if (!isAcquired()) {
            CompletableFuture<Void> released = releaseHolds();
            if (released.isDone()) {
                refuse(future);
            } else {
                var unused = client.holds()
                        .releases()
                        .doneOrTimeout(released)
                        .thenRunAsync(() -> refuse(future), client.tasks().callbacks());
            }
        } else if (!future.complete(acquired(handles))) {
            withdraw();
        }
    }

    private void refuse(CompletableFuture<BatchOutcome> future) {
        try {
            future.complete(refusal());
        } catch (Throwable e) {
            future.completeExceptionally(e);
        }
    }

    private void send() {
        BatchCall call = client.waits().batch();
        try {
            arrive(call);
            call.send();
            for (int i = 0; i < waiters.size(); i++) {
                notified(i);
            }
        } catch (Throwable e) {
            observed.forEach(each -> each.failed(e));
            withdraw();
            throw e;
        }
    }

    /**
     * Adds the waiters to their slots. If another owner of this client holds or requests a member, the members after it are not
     * requested, because that owner may be about to request them as well. Otherwise, two threads that try the same names at
     * once could refuse each other (livelock).
     */
    private void arrive(BatchCall call) {
        boolean blocked = false;
        for (int i = 0; i < waiters.size(); i++) {
            Waiter waiter = waiters.get(i);
            if (blocked) {
                waiter.answered = true;
                waiter.outcome = new Outcome.Busy(Optional.empty());
            } else {
                slots.add(call.arrive(names.get(i), waiter));
                blocked = waiter.outcome instanceof Outcome.Busy;
            }
        }
    }

    /**
     * Handles a notification for one member. If the lock is free now, the waiter takes it. Otherwise the waiter times out,
     * unless an answer is outstanding. So the batch never waits for another owner.
     */
    private void notified(int index) {
        Waiter waiter = waiters.get(index);
        if (waiter.outcome == null) {
            client.waits().take(slots.get(index), waiter);
            client.waits().timeOut(slots.get(index), waiter);
        }
        if (waiters.stream().allMatch(each -> each.outcome != null)) {
            done.complete(null);
        }
    }

    /** Withdraws the waiters without an outcome, and releases all holds. */
    @CanIgnoreReturnValue
    private CompletableFuture<Void> withdraw() {
        for (int i = 0; i < slots.size(); i++) {
            client.waits().withdraw(slots.get(i), waiters.get(i));
        }
        observed.forEach(Observers.Observed::withdrawn);
        return releaseHolds();
    }

    /** Reports the outcomes. A member that is given back because another one was refused was acquired, too. */
    private void observeOutcomes() {
        for (int i = 0; i < waiters.size(); i++) {
            Outcome outcome = waiters.get(i).outcome;
            if (outcome != null) {
                observed.get(i).ended(outcome);
            }
        }
    }

    /** Releases all holds. The future completes when the store has answered each release. */
    private CompletableFuture<Void> releaseHolds() {
        outcomes(Hold.class).forEach(client.holds().releases()::discard);
        return CompletableFuture.allOf(outcomes(Hold.class)
                .flatMap(hold -> Stream.ofNullable(hold.settlement))
                .map(settlement -> settlement.verdict)
                .toArray(CompletableFuture[]::new));
    }

    private <T extends Outcome> Stream<T> outcomes(Class<T> kind) {
        return waiters.stream()
                .map(waiter -> waiter.outcome)
                .filter(kind::isInstance)
                .map(kind::cast);
    }

    /** Returns {@code true} if all members are held and valid. */
    private boolean isAcquired() {
        long now = client.platform().nanoTime();
        long wallMillis = client.platform().wallMillis();
        return outcomes(Hold.class).filter(hold -> hold.valid(now, wallMillis)).count() == waiters.size();
    }

    private BatchOutcome acquired(List<LeaseHandle> handles) {
        observeOutcomes();
        return new BatchOutcome.Acquired(IntStream.range(0, handles.size())
                .<Lease>mapToObj(i -> handles.get(i).bind(Objects.requireNonNull(waiters.get(i).outcome)))
                .toList());
    }

    /**
     * Returns why not all members were acquired, or throws the error of a failed member. If one of several errors says that a
     * lock may be held, that one is thrown, because the other errors say that nothing is held.
     */
    private BatchOutcome refusal() {
        observeOutcomes();
        outcomes(Outcome.Failed.class)
                .min(Comparator.comparing(failed -> !(failed.error() instanceof IndeterminateLockException)))
                .ifPresent(Outcome::hold);
        return IntStream.range(0, waiters.size())
                .filter(i -> isHeldByOther(waiters.get(i)))
                .<BatchOutcome>mapToObj(i -> new BatchOutcome.Held(i, waiters.get(i).holder))
                .findFirst()
                .orElseGet(BatchOutcome.Unclear::new);
    }

    /**
     * Returns {@code true} if another owner holds the member, in this client or in another. The store refuses all members of
     * the request, but names a holder only for those that are held.
     */
    private static boolean isHeldByOther(Waiter waiter) {
        return waiter.outcome instanceof Outcome.Busy busy && (busy.holder().isPresent() || !waiter.answered);
    }
}
