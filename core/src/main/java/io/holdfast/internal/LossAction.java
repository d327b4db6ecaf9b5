package io.holdfast.internal;

import io.holdfast.LeaseLostException;
import java.util.function.Consumer;

/**
 * What is to be done when a hold is lost.
 *
 * @param ofUser whether it is a user's, which may block; one of the engine waits for none of those
 */
record LossAction(Consumer<LeaseLostException> action, boolean ofUser) {

    void tell(Engine engine, LeaseLostException loss) {
        var executor = ofUser ? engine.threads.losses() : engine.threads.background();
        executor.execute(engine.guarded("an action for the loss", () -> action.accept(loss)));
    }
}
