/**
 * The API of Holdfast, a library of distributed locks.
 *
 * <p>Start at {@link io.holdfast.Holdfast#connect(String)}. The Javadoc of a type or of its methods says which methods call the
 * store. All others use local state only.
 */
@NullMarked
@CheckReturnValue
package io.holdfast;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
