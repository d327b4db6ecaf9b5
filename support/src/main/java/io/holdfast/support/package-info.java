/** What stores have in common, for those who write one. */
@NullMarked
@CheckReturnValue
package io.holdfast.support;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
