/**
 * The operations of a lock, a lease and a client that recipes use in addition to the API, and the shared rules for durations
 * and waits. This is the lowest internal package: it depends on the API and the SPI only.
 */
@NullMarked
package io.holdfast.internal.access;

import org.jspecify.annotations.NullMarked;
