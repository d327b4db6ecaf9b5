/** Connections on which things go wrong, at random or exactly when a test wants it. */
@NullMarked
package io.holdfast.testkit.faults;

import org.jspecify.annotations.NullMarked;
