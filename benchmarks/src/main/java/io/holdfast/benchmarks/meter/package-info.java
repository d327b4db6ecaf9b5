/** The counters of the measured servers, read by the process that reports. */
@NullMarked
package io.holdfast.benchmarks.meter;

import org.jspecify.annotations.NullMarked;
