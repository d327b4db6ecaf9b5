package io.holdfast.internal.access;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockReport;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** What a recipe has of its client beside the public face. */
public interface ClientAccess {

    /** Time and randomness. */
    Platform platform();

    /** For how long one who waits stays through an outage. */
    Duration maxOutage();

    /** Runs a task that may call the store, after a delay; never, if the client is closed before. */
    Platform.Task later(Duration delay, Runnable task);

    /** Asks the store who holds a name, without blocking. */
    CompletionStage<LockReport> inspect(String name);

    /** Runs an action, which must not block, when the lease of this client is lost; it waits for no users' code. */
    void whenLost(Lease lease, Consumer<LeaseLostException> action);

    /** Runs users' code on their executor; what it throws is logged. */
    void callBack(String what, Runnable code);

    /** Logs an error that has nobody else to go to. */
    void failed(String what, Throwable error);
}
