/** The SQL of each kind of database. It decides nothing except what its guarded statements say. */
@NullMarked
@CheckReturnValue
package io.holdfast.jdbc.sql;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
