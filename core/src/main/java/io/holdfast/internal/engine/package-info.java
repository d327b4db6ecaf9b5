/**
 * The engine, which passes events to the slots and carries out their effects. It contains calls with deadlines and unknown
 * outcomes, renewals, releases, timers, and events for users.
 */
@NullMarked
package io.holdfast.internal.engine;

import org.jspecify.annotations.NullMarked;
