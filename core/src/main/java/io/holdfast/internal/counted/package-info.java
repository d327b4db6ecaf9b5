/** The faces of semaphores and latches. */
@NullMarked
package io.holdfast.internal.counted;

import org.jspecify.annotations.NullMarked;
