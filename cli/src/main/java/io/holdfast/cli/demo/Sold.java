package io.holdfast.cli.demo;

/**
 * A sale that is over.
 *
 * @param row its figures
 * @param count what they were made from
 */
record Sold(Row row, Count count) {}
