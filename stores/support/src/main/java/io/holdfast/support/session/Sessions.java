package io.holdfast.support.session;

import io.holdfast.spi.Signal;
import java.util.concurrent.CompletionStage;

/** The sessions of this client, one after the other. */
public interface Sessions {

    /** A receiver of signals. */
    interface Receiver {

        /**
         * Receives a signal.
         *
         * @param before a {@code nanoTime} before the write that sent the signal. The claim window of an assignment counts from
         *     the write
         */
        void receive(Signal signal, long before);
    }

    /** Starts the first session, whose signals, and those of later ones, go to the receiver. */
    void start(Receiver receiver);

    /** Passes a signal of this client to itself to the receiver. */
    void deliver(Signal signal, long before);

    /** Returns the present session. Fails if there is none, or if it has no connection. */
    CompletionStage<? extends Session> present();

    /** Returns {@code true} if the session is one of this client, and has ended. */
    boolean isOver(String session);

    /** Returns a stage that completes when a message that was sent after this call has arrived by the path of signals. */
    CompletionStage<Void> confirmSignals();

    /** Ends the present session, and makes no other one. Completes when the servers have answered, or can no longer do so. */
    CompletionStage<Void> close();
}
