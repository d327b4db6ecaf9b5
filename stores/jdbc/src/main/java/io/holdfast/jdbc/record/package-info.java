/** The store over records in a table of a database. */
@NullMarked
@CheckReturnValue
package io.holdfast.jdbc.record;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
