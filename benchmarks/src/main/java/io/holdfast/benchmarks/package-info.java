/** Runs the cases with all subjects in turn, and writes down what came of it. */
@NullMarked
package io.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
