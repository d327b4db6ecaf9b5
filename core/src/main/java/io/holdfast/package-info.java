/**
 * Distributed locks: what an application uses.
 *
 * <p>Start at {@link io.holdfast.Holdfast#connect(String)}. Every method says whether it calls the store; a method that
 * does not say so works on local state alone.
 */
@NullMarked
@CheckReturnValue
package io.holdfast;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
