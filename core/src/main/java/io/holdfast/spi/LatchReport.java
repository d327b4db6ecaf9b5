package io.holdfast.spi;

import java.util.OptionalLong;
import java.util.Set;

/**
 * The state of one latch at one moment, as the store knows it.
 *
 * <p>Each setting of a latch has a number that is higher than those of all earlier settings. It is the larger of the last
 * number plus one and the server's clock in microseconds. So the numbers also rise after the store has lost its data.
 *
 * <p>Most settings open. So a store remembers only the few settings that ended <em>before</em> they opened, and the number up
 * to which it has forgotten earlier settings. Its memory does not grow with the number of openings.
 *
 * @param set the number of the current setting; empty if the latch is not set
 * @param count the current count; 0 if the latch is open or not set
 * @param last the highest number of any setting; 0 if the store knows of none
 * @param forgotten the number up to which nothing is known about settings
 * @param unopened the settings after {@code forgotten} that were replaced or deleted, or whose time to live ended, before they
 *     opened. They are at most {@link #MOST_UNOPENED}, and in addition the last setting
 */
public record LatchReport(OptionalLong set, int count, long last, long forgotten, Set<Long> unopened) {

    /** The number of settings that ended before they opened and that a store remembers, in addition to the last setting. */
    public static final int MOST_UNOPENED = 16;

    /** What has become of a setting. */
    public enum Fate {
        /** The setting is current, and the latch is not open. */
        CLOSED,
        /** The latch is open, or was open before the setting ended. */
        OPENED,
        /** The setting ended before the latch opened. */
        UNOPENED,
        /** The store does not know the setting, or no longer knows it. */
        UNKNOWN
    }

    /** Copies the set. */
    public LatchReport {
        unopened = Set.copyOf(unopened);
    }

    /** Returns the fate of the setting with the given number. */
    public Fate of(long setting) {
        if (setting <= forgotten || setting > last) {
            return Fate.UNKNOWN;
        }
        if (unopened.contains(setting)) {
            return Fate.UNOPENED;
        }
        return count > 0 && set.orElse(0) == setting ? Fate.CLOSED : Fate.OPENED;
    }
}
