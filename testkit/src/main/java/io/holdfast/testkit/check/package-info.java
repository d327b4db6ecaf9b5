/** Checks that tests make afterward: of the history of holds, and of leaks. */
@NullMarked
package io.holdfast.testkit.check;

import org.jspecify.annotations.NullMarked;
