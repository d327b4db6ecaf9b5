/**
 * The state machine of one name in one client.
 *
 * <p>Events go in with the time at which they happened, and effects come out. Nothing here reads a clock, starts a thread, or
 * calls the store.
 */
@NullMarked
package io.holdfast.internal.slot;

import org.jspecify.annotations.NullMarked;
