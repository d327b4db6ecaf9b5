/**
 * A real Redis server inside the life of this JVM, for demos, tests and development.
 *
 * <p>{@link io.holdfast.embedded.redis.RedisServer} is the whole of it. Nothing is installed, no privilege is needed, and
 * nothing stays behind: when the JVM ends, in whatever way, server and files are gone within a second.
 */
@NullMarked
package io.holdfast.embedded.redis;

import org.jspecify.annotations.NullMarked;
