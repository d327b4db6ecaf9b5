/**
 * What is composed of locks, by their public face alone. Not exported; public types are for the engine's package, which
 * makes them.
 */
@NullMarked
package io.holdfast.internal.recipes;

import org.jspecify.annotations.NullMarked;
