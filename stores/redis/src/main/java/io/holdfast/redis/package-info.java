/** The store for Redis and Valkey. */
@NullMarked
package io.holdfast.redis;

import org.jspecify.annotations.NullMarked;
