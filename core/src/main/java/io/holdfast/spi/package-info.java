/**
 * What a store is to the engine: for authors of stores, and of test platforms.
 *
 * <p>A store keeps, for each lock name, one <em>tenure</em> (the hold of a client, {@link io.holdfast.spi.TenureId}) with a
 * lease, a queue of waiting tenures, and the highest fencing token given. The engine does all the rest: owners inside the
 * process, re-entry, renewal, validity, retries. The rules a store has to keep are in {@link io.holdfast.spi.LockStore}.
 */
@NullMarked
@CheckReturnValue
package io.holdfast.spi;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
