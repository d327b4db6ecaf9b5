/** The figures of a sale, as people read them. */
@NullMarked
package io.holdfast.examples.report;

import org.jspecify.annotations.NullMarked;
