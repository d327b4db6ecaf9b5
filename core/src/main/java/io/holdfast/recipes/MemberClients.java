package io.holdfast.recipes;

import io.holdfast.internal.access.LockAccess;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The clients of the members of a composite lock. One that is open runs its tasks and users' code.
 *
 * @param what the composite lock, whose {@code toString} is for log lines
 * @param all the members, of which at least one exists
 */
record MemberClients(Object what, List<LockAccess> all) {

    /** Returns a member whose client is open, if there is one; otherwise the first member. */
    LockAccess open() {
        return all.stream().filter(member -> !member.isClosed()).findFirst().orElse(all.get(0));
    }

    /** Runs a task after the delay, or as soon as the client that runs it is closed. */
    Platform.Task later(Duration delay, Runnable task) {
        return open().later(delay, task);
    }

    /** Runs user code on the executor for callbacks of a client, if possible of one that is open. */
    void callBack(String name, Runnable code) {
        open().access().callBack(name + " of " + what, code);
    }

    /** Runs a user's action for a loss on a client that is open; if all clients are closed, on the current thread. */
    void notifyLoss(String name, Runnable action) {
        LockAccess member = open();
        if (member.isClosed()) {
            action.run();
        } else {
            member.notifyLoss(name + " of " + what, action);
        }
    }

    /**
     * Delivers an answer on the executor for callbacks. The executor may be busy for any time, perhaps because its threads wait for
     * this lock. So a hold that is not delivered within its lease is released.
     *
     * @param release starts the release of the hold; empty if the answer has no hold
     * @param answer receives {@code true} if the hold was not released
     */
    void deliver(Duration lease, Optional<Supplier<CompletableFuture<?>>> release, Consumer<Boolean> answer) {
        // a timer may refer to a canceled task, which must not keep a forgotten lease alive
        AtomicReference<Optional<Supplier<CompletableFuture<?>>>> undelivered = new AtomicReference<>(release);
        Platform.Task guard =
                release.isEmpty() ? () -> {} : later(lease, () -> start(undelivered.getAndSet(Optional.empty())));
        callBack("the answer", () -> {
            guard.cancel();
            answer.accept(undelivered.getAndSet(Optional.empty()).isPresent());
        });
    }

    private static void start(Optional<Supplier<CompletableFuture<?>>> release) {
        var unused = release.map(Supplier::get);
    }
}
