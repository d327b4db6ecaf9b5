/**
 * Carries events to the slots and their effects to the store: calls with deadlines and unknown outcomes, renewals, releases,
 * timers, and events for users.
 */
@NullMarked
package io.holdfast.internal.engine;

import org.jspecify.annotations.NullMarked;
