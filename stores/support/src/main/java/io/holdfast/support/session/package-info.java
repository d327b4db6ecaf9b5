/**
 * The records of a store whose servers keep sessions of their clients, and have no clock that clients can read.
 *
 * <p>A holder holds a name as long as its session lives, so leases cost the server nothing. A record is written by
 * compare-and-set: only if nobody else has written it since it was read.
 */
@NullMarked
@CheckReturnValue
package io.holdfast.support.session;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
