/** Connections to the server that takes locks: addresses, the driver, Sentinels, redirections, replicas, and failures. */
@NullMarked
package io.holdfast.redis.connection;

import org.jspecify.annotations.NullMarked;
