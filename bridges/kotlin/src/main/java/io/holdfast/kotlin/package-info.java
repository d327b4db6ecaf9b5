/** Locks and semaphores for Kotlin coroutines. */
@NullMarked
package io.holdfast.kotlin;

import org.jspecify.annotations.NullMarked;
