/**
 * The shop: an application with Spring Boot that sells one product over HTTP. Several instances sell from the same stock.
 *
 * <p>See {@link io.holdfast.examples.web.Purchase} for the steps of a purchase, and {@link io.holdfast.examples.web.Way} for
 * the ways to keep purchases apart.
 */
@NullMarked
package io.holdfast.examples.web;

import org.jspecify.annotations.NullMarked;
