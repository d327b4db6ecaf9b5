/** Connections with faults, at random or exactly when a test requests them. */
@NullMarked
package io.holdfast.testkit.faults;

import org.jspecify.annotations.NullMarked;
