package io.holdfast.examples.flashsale;

/**
 * A seller.
 *
 * @param process the number of its process
 * @param thread the number of its thread in the process
 */
public record Seller(int process, int thread) {}
