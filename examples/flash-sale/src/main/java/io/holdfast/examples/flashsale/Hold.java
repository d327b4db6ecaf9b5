package io.holdfast.examples.flashsale;

import io.holdfast.LeaseLostException;
import java.util.function.Consumer;

/**
 * A hold whose loss does not undo what was done under it, because Redis refuses all writes of a former holder. So the loss is
 * reported, and the work goes on.
 *
 * @param release the release, which throws if the hold was lost
 * @param onLost the action for a lost hold
 */
record Hold(Runnable release, Consumer<LeaseLostException> onLost) implements AutoCloseable {

    @Override
    public void close() {
        try {
            release.run();
        } catch (LeaseLostException e) {
            onLost.accept(e);
        }
    }
}
