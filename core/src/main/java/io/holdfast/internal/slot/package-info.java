/**
 * The state machine of one name in one client.
 *
 * <p>Events go in with the time at which they happened, and effects come out. The code of this package reads no clock, starts
 * no thread, and does not call the store.
 */
@NullMarked
package io.holdfast.internal.slot;

import org.jspecify.annotations.NullMarked;
