package io.holdfast.cli.demo;

/**
 * A sale that has ended.
 *
 * @param row its figures
 * @param count the results from which they were computed
 */
record Sold(Row row, Count count) {}
