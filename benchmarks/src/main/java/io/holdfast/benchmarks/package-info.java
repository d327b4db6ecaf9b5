/** Runs the cases with all subjects in turn, and reports the results. */
@NullMarked
package io.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
