/** One lock over several servers: uses locks as any user does, but for {@link Server} and {@link Seat}. Not exported. */
@NullMarked
package io.holdfast.internal.quorum;

import org.jspecify.annotations.NullMarked;
