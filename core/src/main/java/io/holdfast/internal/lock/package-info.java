/** The faces of a lock: blocking, as a lease, and asynchronous. */
@NullMarked
package io.holdfast.internal.lock;

import org.jspecify.annotations.NullMarked;
