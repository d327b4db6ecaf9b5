/** The store for Redis and Valkey, and {@link io.holdfast.redis.RedisFence}, which protects the data there. */
@NullMarked
package io.holdfast.redis;

import org.jspecify.annotations.NullMarked;
