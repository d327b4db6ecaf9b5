/** The store of a cluster, which keeps each name at the node that has its slot. */
@NullMarked
package io.holdfast.redis.cluster;

import org.jspecify.annotations.NullMarked;
