package io.holdfast.internal;

import io.holdfast.Lease;
import io.holdfast.internal.multi.Asked;
import io.holdfast.internal.multi.Wish;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Locks of one client that are asked for by one request, each by a waiter of its own without any time to wait. */
final class Bundle {

    private final Engine engine;
    private final List<String> names;
    private final List<Waiter> waiters;
    private final List<Slot> slots = new ArrayList<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    /**
     * Not asked for yet. Keeps no handle, so that a forgotten lease can be seen to be.
     *
     * @param thread who asks and blocks; null if nobody does
     * @param handles what the holds are to be bound to; none if the thread is to own them
     */
    Bundle(Engine engine, List<ClientLock> locks, Wish wish, @Nullable Thread thread, List<LeaseHandle> handles) {
        this.engine = engine;
        this.names = locks.stream().map(ClientLock::name).toList();
        long now = engine.platform.nanoTime();
        this.waiters = IntStream.range(0, locks.size())
                .mapToObj(i -> {
                    var handle = handles.isEmpty() ? null : handles.get(i).reference();
                    return new Waiter(locks.get(i).wanted(wish), now, now, thread, handle, () -> told(i));
                })
                .toList();
    }

    /** Asks, and blocks until it is done or the thread is interrupted, which gives up and keeps the interrupt. */
    Asked await(List<LeaseHandle> handles) {
        Thread me = Thread.currentThread();
        if (me.isInterrupted()) {
            return new Asked.Unclear();
        }
        String site = Acquisition.site();
        waiters.forEach(waiter -> waiter.site = site);
        start();
        Awaiting.whenDone(done, () -> engine.platform.unpark(me));
        boolean interrupted = false;
        while (!done.isDone() && !interrupted) {
            engine.platform.park(done, Tenure.NEVER);
            interrupted = Thread.interrupted();
        }
        if (interrupted) {
            me.interrupt();
        }
        if (done.isDone()) {
            return result(handles);
        }
        withdraw();
        return new Asked.Unclear();
    }

    /** Asks; who ends the future gives up. */
    CompletableFuture<Asked> start(List<LeaseHandle> handles) {
        CompletableFuture<Asked> future = new CompletableFuture<>();
        start();
        Awaiting.whenDone(done, () -> engine.threads.callbacks().execute(() -> deliver(future, handles)));
        Awaiting.whenDone(future, () -> {
            if (!done.isDone()) {
                withdraw();
            }
        });
        return future;
    }

    private void deliver(CompletableFuture<Asked> future, List<LeaseHandle> handles) {
        try {
            if (!future.complete(result(handles))) {
                withdraw();
            }
        } catch (RuntimeException e) {
            future.completeExceptionally(e);
        }
    }

    private void start() {
        Together asks = new Together(engine, engine.store.together().orElseThrow());
        try {
            arrive(asks);
        } catch (RuntimeException e) {
            withdraw();
            throw e;
        }
        asks.send();
        for (int i = 0; i < waiters.size(); i++) {
            told(i);
        }
    }

    /** After one that is taken none is asked for: who has that one may be about to ask for the others, too. */
    private void arrive(Together asks) {
        boolean lost = false;
        for (int i = 0; i < waiters.size(); i++) {
            Waiter waiter = waiters.get(i);
            if (lost) {
                waiter.answered = true;
                waiter.outcome = new Outcome.Busy(Optional.empty());
            } else {
                slots.add(engine.arrive(names.get(i), waiter, asks::run));
                lost = waiter.outcome instanceof Outcome.Busy;
            }
        }
    }

    /** Nobody but a slot decides; one that would have to be waited for is not got. */
    private void told(int index) {
        Waiter waiter = waiters.get(index);
        if (waiter.outcome == null) {
            engine.event(slots.get(index), (s, out) -> {
                s.take(waiter, engine.platform.nanoTime(), out);
                s.timeOut(waiter, engine.platform.nanoTime(), out);
            });
        }
        if (waiters.stream().allMatch(each -> each.outcome != null)) {
            done.complete(null);
        }
    }

    /** Ends what is still open, and gives back what was got. */
    private void withdraw() {
        for (int i = 0; i < slots.size(); i++) {
            Waiter waiter = waiters.get(i);
            engine.event(slots.get(i), (s, out) -> s.withdraw(waiter, engine.platform.nanoTime(), out));
        }
        outcomes(Hold.class).forEach(engine.owners::discard);
    }

    private <T extends Outcome> Stream<T> outcomes(Class<T> kind) {
        return waiters.stream()
                .map(waiter -> waiter.outcome)
                .filter(kind::isInstance)
                .map(kind::cast);
    }

    /**
     * What came of it, when it is done. Unless all were got and are valid, all is given back. Throws what failed.
     */
    private Asked result(List<LeaseHandle> handles) {
        long now = engine.platform.nanoTime();
        long wallMillis = engine.platform.wallMillis();
        if (outcomes(Hold.class).filter(hold -> hold.valid(now, wallMillis)).count() == waiters.size()) {
            return new Asked.Got(IntStream.range(0, handles.size())
                    .<Lease>mapToObj(i -> handles.get(i).bind(Objects.requireNonNull(waiters.get(i).outcome)))
                    .toList());
        }
        outcomes(Hold.class).forEach(engine.owners::discard);
        outcomes(Outcome.Failed.class).forEach(Outcome::hold);
        return IntStream.range(0, waiters.size())
                .filter(i -> isHeld(waiters.get(i)))
                .<Asked>mapToObj(i -> new Asked.Held(i, waiters.get(i).holder))
                .findFirst()
                .orElseGet(Asked.Unclear::new);
    }

    /** Whether others have it, here or elsewhere: the store refuses the whole, but names only who is in the way. */
    private static boolean isHeld(Waiter waiter) {
        return waiter.outcome instanceof Outcome.Busy busy && (busy.holder().isPresent() || !waiter.answered);
    }
}
