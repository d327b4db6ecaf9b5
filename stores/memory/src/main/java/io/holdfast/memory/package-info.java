/** The store in the memory of the JVM, for tests and experiments. */
@NullMarked
package io.holdfast.memory;

import org.jspecify.annotations.NullMarked;
