/**
 * What recipes ask of a lock, a lease or a client beside the API, and the rules for times and waits that all of them share.
 * The lowest package of the library: it knows the API and the SPI only.
 */
@NullMarked
package io.holdfast.internal.access;

import org.jspecify.annotations.NullMarked;
