/** The sessions of a client at ZooKeeper, and the nodes that it reads and writes. */
@NullMarked
@CheckReturnValue
package io.holdfast.zookeeper.connection;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
