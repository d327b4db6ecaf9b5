/** Scripts, the keys and channels that they use, and the session in which a client runs them. */
@NullMarked
package io.holdfast.redis.script;

import org.jspecify.annotations.NullMarked;
