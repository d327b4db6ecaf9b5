/** What a worker process does: the operations that are measured, and the check that nobody is where somebody else is. */
@NullMarked
package io.holdfast.benchmarks.work;

import org.jspecify.annotations.NullMarked;
