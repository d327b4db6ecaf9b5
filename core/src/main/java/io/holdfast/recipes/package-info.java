/**
 * Recipes: locks of several locks, locks of several servers, segmented locks, and elections.
 *
 * <p>Each recipe is made by a static method {@code of} of its type, from locks or clients. It is composed of locks through their
 * public API, so it inherits validity, fencing and clean-up from them. Nothing in {@link io.holdfast} depends on this package.
 */
@NullMarked
@CheckReturnValue
package io.holdfast.recipes;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
