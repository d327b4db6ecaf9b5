/** Measures Holdfast against the floor that its server and its client library set. */
@NullMarked
package io.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
