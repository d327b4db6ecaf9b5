package io.holdfast.spring.aop;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The result of a method that was skipped. */
final class Skipped {

    private Skipped() {}

    static @Nullable Object valueFor(Class<?> type) {
        if (type == Optional.class) {
            return Optional.empty();
        }
        return CompletionStage.class.isAssignableFrom(type) ? CompletableFuture.completedFuture(null) : null;
    }
}
