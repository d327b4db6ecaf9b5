/** Meters and observations of the locks of a client. */
@NullMarked
package io.holdfast.micrometer;

import org.jspecify.annotations.NullMarked;
