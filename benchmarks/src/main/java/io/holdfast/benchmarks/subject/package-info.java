/** Who is measured: Holdfast, its peer, and what bounds both. */
@NullMarked
package io.holdfast.benchmarks.subject;

import org.jspecify.annotations.NullMarked;
