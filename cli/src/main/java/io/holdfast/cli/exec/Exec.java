package io.holdfast.cli.exec;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockTimeoutException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The {@code exec} command, which runs a command while it holds a lock. */
public final class Exec {

    // on a busy host, loading the driver takes most of this time
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(20);

    private final ExecOptions options;
    private final Consumer<String> say;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private boolean lost;

    /** Creates an execution with a consumer of the lines for the user. */
    public Exec(ExecOptions options, Consumer<String> say) {
        this.options = options;
        this.say = say;
    }

    /**
     * Acquires the lock, runs the command, and returns the exit code.
     *
     * @throws IllegalArgumentException if the store or the lock's name is not understood
     * @throws io.holdfast.HoldfastException if the store cannot be used
     */
    public int run() throws InterruptedException {
        // until there is a connection, nothing can be left behind
        Signals signals = new Signals(caught -> Runtime.getRuntime().halt(caught.exitCode()));
        try (Guard guard = Guard.start(events::add)) {
            Holdfast client = connect();
            signals.nowTo(events::add);
            try {
                return acquireAndRun(client, guard);
            } finally {
                if (!lost) {
                    client.close();
                }
            }
        } catch (IOException e) {
            say.accept("the command cannot be guarded: " + e.getMessage());
            return ExitStatus.NOT_EXECUTABLE;
        }
    }

    private Holdfast connect() {
        return Holdfast.builder()
                .uri(options.store())
                .lease(options.lease())
                .connectTimeout(CONNECT_TIMEOUT)
                .listener(this::report)
                .build();
    }

    private void report(LockEvent event) {
        if (event instanceof LockEvent.RenewalLate late) {
            say.accept("renewals of lock " + quoted(late.name()) + " fail; it stays valid for "
                    + late.remainingLease().toMillis() + " ms: " + late.reason());
        } else if (event instanceof LockEvent.ReleaseUnconfirmed doubtful) {
            say.accept("lock " + quoted(doubtful.name()) + " may remain held for "
                    + doubtful.remainingLease().toMillis() + " ms: " + doubtful.reason());
        }
    }

    private int acquireAndRun(Holdfast client, Guard first) throws IOException, InterruptedException {
        first.awaitReady();
        CompletableFuture<Lease> wish = client.lock(options.lock()).async().acquire(options.patience());
        var unused = wish.whenComplete(
                (lease, error) -> events.add(error == null ? new Event.Acquired(lease) : new Event.Failed(error)));
        Guard guard = first;
        try {
            while (true) {
                Event event = events.take();
                if (event instanceof Event.Caught caught) {
                    withdraw(wish);
                    return caught.exitCode();
                } else if (event instanceof Event.Failed failed) {
                    return explain(failed.why(), client);
                } else if (event instanceof Event.Acquired acquired) {
                    return hold(acquired.lease(), guard);
                } else if (event instanceof Event.GuardEnded ended && ended.guard() == guard) {
                    guard = successor(wish);
                }
            }
        } finally {
            guard.close();
        }
    }

    /** Starts another guard in place of one that was killed during the wait, so that the command does not start without one. */
    private Guard successor(CompletableFuture<Lease> wish) throws IOException, InterruptedException {
        try {
            Guard guard = Guard.start(events::add);
            guard.awaitReady();
            return guard;
        } catch (IOException e) {
            try {
                withdraw(wish);
            } catch (LeaseLostException lostMeanwhile) {
                e.addSuppressed(lostMeanwhile);
            }
            throw e;
        }
    }

    private static void withdraw(CompletableFuture<Lease> wish) {
        if (!wish.cancel(false) && !wish.isCompletedExceptionally()) {
            wish.join().close();
        }
    }

    private int explain(Throwable why, Holdfast client) {
        if (why instanceof LockTimeoutException) {
            // throws if the wait was for a store that has become unavailable in between
            var unused = client.inspect(options.lock());
            say.accept(why.getMessage() + "");
            return ExitStatus.BUSY;
        }
        throw why instanceof RuntimeException known ? known : new IllegalStateException(why);
    }

    /** Holds the lock until the end of the run, and then releases it. When the lock is released, nothing runs any more. */
    private int hold(Lease lease, Guard guard) throws InterruptedException {
        int code = 0;
        try {
            code = run(lease, guard);
            if (code == ExitStatus.LOST) {
                releaseIfThereIsTime(lease);
            } else {
                lease.close();
            }
        } catch (LeaseLostException e) {
            if (code != ExitStatus.LOST) {
                say.accept(e.getMessage() + "");
            }
            return ExitStatus.LOST;
        }
        return code;
    }

    /**
     * Releases the lock. The store may not answer, so the release is awaited only until the lock is about to end. For the same
     * reason, the client is then not closed.
     */
    private void releaseIfThereIsTime(Lease lease) {
        lost = true;
        long left = lease.remainingLease().toMillis() - plan().lead();
        CompletableFuture<Void> released = lease.closeAsync().exceptionally(unreleased -> null);
        released.completeOnTimeout(null, Math.max(0, left), TimeUnit.MILLISECONDS)
                .join();
    }

    private Plan plan() {
        return Plan.of(options.lease(), options.grace());
    }

    private int run(Lease lease, Guard guard) throws InterruptedException {
        try {
            Launch launch = new Launch(options.command(), lease);
            return new Run(lease, plan(), guard, launch, events, say).untilTheEnd();
        } catch (Launch.NotStarted e) {
            guard.over();
            say.accept(e.getMessage() + "");
            return e.exitCode;
        }
    }
}
