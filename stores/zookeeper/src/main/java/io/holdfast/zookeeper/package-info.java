/** The store for ZooKeeper. */
@NullMarked
package io.holdfast.zookeeper;

import org.jspecify.annotations.NullMarked;
