/** One lock over several servers: uses locks as any user does, but for {@link LockAccess} and {@link LeaseAccess}. Not exported. */
@NullMarked
package io.holdfast.internal.quorum;

import org.jspecify.annotations.NullMarked;
