/** The measured subjects: Holdfast, Redisson, and the bounds of both. */
@NullMarked
package io.holdfast.benchmarks.subject;

import org.jspecify.annotations.NullMarked;
