package io.holdfast.internal.slot;

import io.holdfast.LeaseLostException;
import java.util.function.Consumer;

/**
 * An action that runs when a hold is lost.
 *
 * @param action the action
 * @param ofUser whether it is an action of a user, which may block; an action of the engine does not wait for those of users
 */
public record LossAction(Consumer<LeaseLostException> action, boolean ofUser) {}
