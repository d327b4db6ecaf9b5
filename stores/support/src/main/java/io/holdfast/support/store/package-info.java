/**
 * A store over {@linkplain io.holdfast.support.record.LockRecord records}, for authors of stores.
 *
 * <p>An author writes {@link io.holdfast.support.store.Records}, which reads a record, lets a decision change it, and writes it.
 * {@link io.holdfast.support.store.RecordStore} makes all operations of a store from that.
 */
@NullMarked
@CheckReturnValue
package io.holdfast.support.store;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
