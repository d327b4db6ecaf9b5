/**
 * A flash sale: many processes sell from one stock, and every purchase has the same four steps.
 *
 * <p>See {@link io.holdfast.examples.flashsale.Sale} for the steps, {@link io.holdfast.examples.flashsale.Strategy} for the
 * mutual exclusion of sellers, and {@link io.holdfast.examples.flashsale.Worker} for a selling process.
 */
@NullMarked
package io.holdfast.examples.flashsale;

import org.jspecify.annotations.NullMarked;
