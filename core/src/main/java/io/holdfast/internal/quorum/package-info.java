/**
 * One lock over several servers. It uses locks like any user does, and in addition
 * {@link io.holdfast.internal.access.LockAccess} and {@link io.holdfast.internal.access.LeaseAccess}. Not exported.
 */
@NullMarked
package io.holdfast.internal.quorum;

import org.jspecify.annotations.NullMarked;
