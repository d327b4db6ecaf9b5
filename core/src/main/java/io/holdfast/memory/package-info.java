/** The reference store: locks inside one JVM, for tests and for trying things out. */
@NullMarked
package io.holdfast.memory;

import org.jspecify.annotations.NullMarked;
