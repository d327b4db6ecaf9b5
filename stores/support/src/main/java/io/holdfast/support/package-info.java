/** The parts that stores share, for authors of stores. */
@NullMarked
@CheckReturnValue
package io.holdfast.support;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
