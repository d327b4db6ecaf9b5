package io.holdfast.internal.lock;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.BatchOutcome;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.MemberSpec;
import io.holdfast.internal.engine.BatchCall;
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
 * A try of several locks of one client by one request. Each lock has a waiter of its own in its slot, without any time to wait.
 *
 * <ol>
 *   <li>All locks are acquired, or none. If one of the holds is missing or not valid, all holds are released.
 *   <li>The slots alone decide the outcomes. So every late, lost or unknown answer is settled by the slot of its name.
 *   <li>After a member that another owner of this client holds or requests, no further member is requested.
 * </ol>
 */
final class BatchAcquire {

    private final ClientParts client;
    private final List<String> names;
    private final List<Waiter> waiters;
    private final boolean interruptible;
    private final List<Slot> slots = new ArrayList<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    /**
     * Creates a batch that is not requested yet. It keeps no handle, so that a forgotten lease can be detected.
     *
     * @param thread the thread that asks and blocks; null if none does
     * @param handles the handles that the holds are bound to; none if the thread is to own the holds
     */
    BatchAcquire(
            ClientParts client,
            List<ClientLock> locks,
            MemberSpec wish,
            @Nullable Thread thread,
            List<LeaseHandle> handles) {
        this.client = client;
        this.names = locks.stream().map(ClientLock::name).toList();
        this.interruptible = wish.interruptible();
        long now = client.platform().nanoTime();
        String place = client.waits().callSite();
        this.waiters = IntStream.range(0, locks.size())
                .mapToObj(i -> {
                    var handle = handles.isEmpty() ? null : handles.get(i).reference();
                    return new Waiter(locks.get(i).wanted(wish), now, now, thread, handle, () -> told(i)).at(place);
                })
                .toList();
    }

    /**
     * Sends the request, and blocks until it is answered. An interrupt is preserved. It ends the wait if the batch is
     * interruptible.
     */
    BatchOutcome await(List<LeaseHandle> handles) {
        if (interruptible && Thread.currentThread().isInterrupted()) {
            return new BatchOutcome.Unclear();
        }
        start();
        try {
            boolean answered = awaitAnswer();
            if (answered && isGot()) {
                return got(handles);
            }
            CompletableFuture<Void> released = answered ? giveBack() : withdraw();
            Awaiting.done(client.platform(), released, client.command());
            return answered ? whyNot() : new BatchOutcome.Unclear();
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

    /** Sends the request without blocking. Ending the future withdraws the request. */
    CompletableFuture<BatchOutcome> start(List<LeaseHandle> handles) {
        CompletableFuture<BatchOutcome> future = new CompletableFuture<>();
        start();
        Awaiting.whenDone(done, () -> client.tasks().callbacks().execute(() -> deliverGuarded(future, handles)));
        Awaiting.whenDone(future, () -> {
            if (!done.isDone()) {
                withdraw();
            }
        });
        return future;
    }

    private void deliverGuarded(CompletableFuture<BatchOutcome> future, List<LeaseHandle> handles) {
        try {
            deliver(future, handles);
        } catch (Throwable e) {
            withdraw();
            future.completeExceptionally(e);
        }
    }

    private void deliver(CompletableFuture<BatchOutcome> future, List<LeaseHandle> handles) {
        if (!isGot()) {
            CompletableFuture<Void> released = giveBack();
            if (released.isDone()) {
                refuse(future);
            } else {
                var unused = client.holds()
                        .releases()
                        .doneOrTimeout(released)
                        .thenRunAsync(() -> refuse(future), client.tasks().callbacks());
            }
        } else if (!future.complete(got(handles))) {
            withdraw();
        }
    }

    private void refuse(CompletableFuture<BatchOutcome> future) {
        try {
            future.complete(whyNot());
        } catch (Throwable e) {
            future.completeExceptionally(e);
        }
    }

    private void start() {
        BatchCall asks = client.waits().batch();
        try {
            arrive(asks);
            asks.send();
            for (int i = 0; i < waiters.size(); i++) {
                told(i);
            }
        } catch (Throwable e) {
            withdraw();
            throw e;
        }
    }

    /**
     * Adds the waiters to their slots. If another owner of this client holds or requests a member, the members after it are not
     * requested. That owner may be about to request them as well, and two threads that try the same names at once could refuse
     * each other (livelock).
     */
    private void arrive(BatchCall asks) {
        boolean lost = false;
        for (int i = 0; i < waiters.size(); i++) {
            Waiter waiter = waiters.get(i);
            if (lost) {
                waiter.answered = true;
                waiter.outcome = new Outcome.Busy(Optional.empty());
            } else {
                slots.add(asks.arrive(names.get(i), waiter));
                lost = waiter.outcome instanceof Outcome.Busy;
            }
        }
    }

    /**
     * Handles a notification for one member. The slot decides: the waiter takes the lock if it is free now. Otherwise it times
     * out, unless an answer is outstanding. A member that would have to be waited for is not acquired.
     */
    private void told(int index) {
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
        return giveBack();
    }

    /** Releases all holds. The future completes when the store has answered each release. */
    private CompletableFuture<Void> giveBack() {
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
    private boolean isGot() {
        long now = client.platform().nanoTime();
        long wallMillis = client.platform().wallMillis();
        return outcomes(Hold.class).filter(hold -> hold.valid(now, wallMillis)).count() == waiters.size();
    }

    private BatchOutcome got(List<LeaseHandle> handles) {
        return new BatchOutcome.Got(IntStream.range(0, handles.size())
                .<Lease>mapToObj(i -> handles.get(i).bind(Objects.requireNonNull(waiters.get(i).outcome)))
                .toList());
    }

    /**
     * Returns why not all members were acquired, or throws the error of one that failed. An error that says that a lock may be
     * held comes first, because the other errors say that nothing is held.
     */
    private BatchOutcome whyNot() {
        outcomes(Outcome.Failed.class)
                .min(Comparator.comparing(failed -> !(failed.error() instanceof IndeterminateLockException)))
                .ifPresent(Outcome::hold);
        return IntStream.range(0, waiters.size())
                .filter(i -> isHeld(waiters.get(i)))
                .<BatchOutcome>mapToObj(i -> new BatchOutcome.Held(i, waiters.get(i).holder))
                .findFirst()
                .orElseGet(BatchOutcome.Unclear::new);
    }

    /**
     * Returns {@code true} if others hold the member, here or elsewhere. The store refuses the whole request, but names a
     * holder only for the members that are in the way.
     */
    private static boolean isHeld(Waiter waiter) {
        return waiter.outcome instanceof Outcome.Busy busy && (busy.holder().isPresent() || !waiter.answered);
    }
}
