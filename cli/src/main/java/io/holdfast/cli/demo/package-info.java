/** The demo: one flash sale for each strategy, run by worker processes and counted by this one. */
@NullMarked
package io.holdfast.cli.demo;

import org.jspecify.annotations.NullMarked;
