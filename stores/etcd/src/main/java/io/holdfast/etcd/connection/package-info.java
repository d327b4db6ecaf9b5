/** The sessions of a client at etcd, and the keys that it reads and writes. */
@NullMarked
@CheckReturnValue
package io.holdfast.etcd.connection;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
