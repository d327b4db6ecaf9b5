/**
 * A real Redis server within the life of this JVM, for demos, tests and development.
 *
 * <p>{@link io.holdfast.embedded.redis.RedisServer} is the entire API. No installation and no privilege is needed. Nothing
 * stays behind: however the JVM ends, the server and its files are gone within a second.
 */
@NullMarked
package io.holdfast.embedded.redis;

import org.jspecify.annotations.NullMarked;
