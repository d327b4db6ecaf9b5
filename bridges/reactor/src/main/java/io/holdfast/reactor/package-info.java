/** Locks and semaphores for Project Reactor. */
@NullMarked
package io.holdfast.reactor;

import org.jspecify.annotations.NullMarked;
