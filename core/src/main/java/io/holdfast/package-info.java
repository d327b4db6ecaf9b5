/**
 * The API of Holdfast, a library of distributed locks.
 *
 * <p>Start at {@link io.holdfast.Holdfast#connect(String)}. Every method that calls the store says so; all other methods use
 * local state only.
 */
@NullMarked
@CheckReturnValue
package io.holdfast;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
