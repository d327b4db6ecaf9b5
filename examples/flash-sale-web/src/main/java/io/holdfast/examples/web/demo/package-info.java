/**
 * The demo: runs two instances of the shop behind a proxy, loads them over HTTP, kills one and pauses the other, and counts
 * what they sold.
 */
@NullMarked
package io.holdfast.examples.web.demo;

import org.jspecify.annotations.NullMarked;
