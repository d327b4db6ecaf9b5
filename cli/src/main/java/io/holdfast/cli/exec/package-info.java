/** Runs a command while it holds a lock. */
@NullMarked
package io.holdfast.cli.exec;

import org.jspecify.annotations.NullMarked;
