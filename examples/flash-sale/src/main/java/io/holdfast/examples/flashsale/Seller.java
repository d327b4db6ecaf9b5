package io.holdfast.examples.flashsale;

/**
 * Who sells.
 *
 * @param process the number of its process in this sale
 * @param thread its number in the process
 */
public record Seller(int process, int thread) {}
