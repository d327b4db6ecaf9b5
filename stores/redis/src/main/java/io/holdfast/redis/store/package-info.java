/** The store of one server: each request is one run of one script. */
@NullMarked
package io.holdfast.redis.store;

import org.jspecify.annotations.NullMarked;
