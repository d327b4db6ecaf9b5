/** Locks by annotation, for Spring. */
@NullMarked
package io.holdfast.spring;

import org.jspecify.annotations.NullMarked;
