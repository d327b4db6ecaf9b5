/**
 * The record of one name at a store, and the decisions on it.
 *
 * <p>A store reads the {@link io.holdfast.support.record.LockRecord} of a name, and lets a {@link
 * io.holdfast.support.record.Decider} decide a request. Then it writes the resulting record, unless another writer was faster
 * (compare-and-set). After that, it sends the notices. The decisions read no clock, never block, and know no store.
 */
@NullMarked
@CheckReturnValue
package io.holdfast.support.record;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
