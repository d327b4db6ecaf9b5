/** The locks of a cluster: each name at the node that keeps its slot. */
@NullMarked
package io.holdfast.redis.cluster;

import org.jspecify.annotations.NullMarked;
