package io.holdfast.examples.guide;

import io.holdfast.Holdfast;
import io.holdfast.LockEvent;
import io.holdfast.config.HoldfastConfig;
import java.nio.file.Path;
import java.util.function.Consumer;

/** The code of docs/tuning.md for those who have their options in a file. */
final class Configuring {

    Holdfast client(Path file, Consumer<LockEvent> pager) {
        // region tuning-file
        Holdfast holdfast =
                HoldfastConfig.read(file).listener(event -> pager.accept(event)).build();
        // endregion
        return holdfast;
    }
}
