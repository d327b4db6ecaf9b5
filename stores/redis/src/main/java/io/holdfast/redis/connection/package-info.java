/** Connections to the server that takes locks: addresses, the driver, Sentinels, redirects, replicas, and what went wrong. */
@NullMarked
package io.holdfast.redis.connection;

import org.jspecify.annotations.NullMarked;
