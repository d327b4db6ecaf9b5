/** The engine. Not exported; public types are for the root package alone. */
@NullMarked
package io.holdfast.internal;

import org.jspecify.annotations.NullMarked;
