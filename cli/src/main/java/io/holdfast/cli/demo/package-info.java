/** The demo. Worker processes run one flash sale for each strategy, and this process counts the results. */
@NullMarked
package io.holdfast.cli.demo;

import org.jspecify.annotations.NullMarked;
