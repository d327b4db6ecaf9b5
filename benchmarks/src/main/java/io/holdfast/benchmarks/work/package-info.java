/** The work of a worker process: the measured operations, and the check of mutual exclusion. */
@NullMarked
package io.holdfast.benchmarks.work;

import org.jspecify.annotations.NullMarked;
