/** The measurements of one process without a server. */
@NullMarked
package io.holdfast.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
