/** The code that README and docs show, between {@code // region} and {@code // endregion}, inside methods that run. */
@NullMarked
package io.holdfast.examples.guide;

import org.jspecify.annotations.NullMarked;
