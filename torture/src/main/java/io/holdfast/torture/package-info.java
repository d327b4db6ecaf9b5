/** Injects faults into a store and into the processes that use it, and checks that no promise was broken. */
@NullMarked
package io.holdfast.torture;

import org.jspecify.annotations.NullMarked;
