/**
 * The record of one name at a store, and the decisions on it.
 *
 * <p>A store reads the {@link io.holdfast.support.record.LockRecord} of a name, lets a {@link
 * io.holdfast.support.record.Decider} decide a request, writes the record that results if nobody else has written meanwhile,
 * and sends the notices. The decisions read no clock, wait for nothing, and know no store.
 */
@NullMarked
@CheckReturnValue
package io.holdfast.support.record;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
