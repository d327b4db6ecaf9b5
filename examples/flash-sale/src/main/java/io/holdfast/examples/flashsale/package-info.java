/**
 * A flash sale: many processes sell from one stock at once, each in the same four steps.
 *
 * <p>Read {@link io.holdfast.examples.flashsale.Sale} for the steps, a {@link
 * io.holdfast.examples.flashsale.Strategy} for what keeps the sellers apart, and {@link
 * io.holdfast.examples.flashsale.Worker} for a process that sells.
 */
@NullMarked
package io.holdfast.examples.flashsale;

import org.jspecify.annotations.NullMarked;
