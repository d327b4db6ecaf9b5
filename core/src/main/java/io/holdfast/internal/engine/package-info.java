/**
 * The engine, which passes events to the slots and carries out their effects. It has calls with deadlines and unknown outcomes,
 * renewals, releases, timers, and events for users.
 */
@NullMarked
package io.holdfast.internal.engine;

import org.jspecify.annotations.NullMarked;
