/**
 * The internal operations of a lock, a lease or a client that recipes use beside the API, and the shared rules for times and
 * waits. This is the lowest package of the library: it depends on the API and the SPI only.
 */
@NullMarked
package io.holdfast.internal.access;

import org.jspecify.annotations.NullMarked;
