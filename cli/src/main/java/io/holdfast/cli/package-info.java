/** The command line of Holdfast. */
@NullMarked
package io.holdfast.cli;

import org.jspecify.annotations.NullMarked;
