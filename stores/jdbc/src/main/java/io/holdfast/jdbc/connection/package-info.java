/** The connections of a client to its database, and the tables there. */
@NullMarked
@CheckReturnValue
package io.holdfast.jdbc.connection;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
