/** The store of a server on which clients of Redisson use the same names. */
@NullMarked
package io.holdfast.redis.interop;

import org.jspecify.annotations.NullMarked;
