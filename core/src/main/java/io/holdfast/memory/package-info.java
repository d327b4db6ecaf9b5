/** The reference store: locks inside one JVM, for tests and experiments. */
@NullMarked
package io.holdfast.memory;

import org.jspecify.annotations.NullMarked;
