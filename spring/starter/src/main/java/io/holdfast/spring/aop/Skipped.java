package io.holdfast.spring.aop;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The result of a method that was skipped. */
final class Skipped {

    private static final Map<Class<?>, Object> EMPTY = Map.of(
            Optional.class, Optional.empty(),
            OptionalInt.class, OptionalInt.empty(),
            OptionalLong.class, OptionalLong.empty(),
            OptionalDouble.class, OptionalDouble.empty());

    private Skipped() {}

    static @Nullable Object valueFor(Class<?> type) {
        return CompletionStage.class.isAssignableFrom(type) ? CompletableFuture.completedFuture(null) : EMPTY.get(type);
    }
}
