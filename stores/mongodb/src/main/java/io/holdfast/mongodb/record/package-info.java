/** The store over records in a collection of MongoDB. */
@NullMarked
@CheckReturnValue
package io.holdfast.mongodb.record;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
