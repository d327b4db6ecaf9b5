/**
 * One lock over several servers. It uses locks like any user does, and in addition {@link LockAccess} and {@link LeaseAccess}.
 * Not exported.
 */
@NullMarked
package io.holdfast.internal.quorum;

import org.jspecify.annotations.NullMarked;
