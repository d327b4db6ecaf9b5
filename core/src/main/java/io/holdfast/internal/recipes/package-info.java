/**
 * The recipes, which are composed of locks through their public API only. Not exported. Some types are public for the engine's
 * package, which creates them.
 */
@NullMarked
package io.holdfast.internal.recipes;

import org.jspecify.annotations.NullMarked;
