/**
 * The interface between the engine and the stores, for authors of stores and of test platforms.
 *
 * <p>For each lock name, a store keeps one <em>tenure</em> with a lease, a queue of waiting tenures, and the highest fencing
 * token that was issued. A tenure ({@link io.holdfast.spi.TenureId}) is the hold of a client. Everything else is the task of
 * the engine: owners inside the process, reentrant acquires, the timing of renewals, validity, and retries.
 * {@link io.holdfast.spi.LockStore} has the rules for a store.
 */
@NullMarked
@CheckReturnValue
package io.holdfast.spi;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
