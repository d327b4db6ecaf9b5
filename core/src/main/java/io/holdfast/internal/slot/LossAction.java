package io.holdfast.internal.slot;

import io.holdfast.LeaseLostException;
import java.util.function.Consumer;

/**
 * An action that runs when a hold is lost.
 *
 * @param ofUser whether it is a user's, which may block; one of the engine waits for none of those
 */
public record LossAction(Consumer<LeaseLostException> action, boolean ofUser) {}
