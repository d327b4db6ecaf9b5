package io.holdfast.internal.access;

import io.holdfast.LockReport;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The operations of a client that recipes use in addition to the public API. */
public interface ClientAccess {

    /** Returns the platform, for time and randomness. */
    Platform platform();

    /** Returns the time for which a waiter tolerates an outage of the store. */
    Duration maxOutage();

    /** Runs a task after a delay. The task may call the store. It never runs if the client is closed first. */
    Platform.Task later(Duration delay, Runnable task);

    /** Asks the store for the holder of a name, without blocking. */
    CompletionStage<LockReport> inspect(String name);

    /** Runs users' code on the executor for callbacks, and logs what it throws. */
    void callBack(String what, Runnable code);

    /** Runs users' code like {@link #callBack}, for the end of a leadership. It may block, and delays no other callbacks. */
    void callBackAtEnd(String what, Runnable code);

    /** Logs an error that has no other recipient. */
    void failed(String what, Throwable error);
}
