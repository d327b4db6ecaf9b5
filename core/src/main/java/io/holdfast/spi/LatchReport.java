package io.holdfast.spi;

import java.util.OptionalLong;
import java.util.Set;

/**
 * What a store knows about one latch at one moment. Each setting of a latch has a number, which is higher than those of all
 * earlier settings: the last number plus one, or the server's clock in microseconds if that is higher, so that numbers also
 * rise when the store has lost its data.
 *
 * <p>Openings are the common case. So a store remembers the few settings that ended <em>before</em> they opened, and up to which
 * number it has forgotten what was. Any number of openings needs no more room than one.
 *
 * @param set the number of the setting that is in force; empty if the latch is not set
 * @param count how often it is still to be counted down; 0 if it is open, or not set
 * @param last the highest number that a setting had; 0 if the store knows of none
 * @param forgotten nothing is known about settings up to this number
 * @param unopened the settings above it that were set anew or deleted, or whose life was over, before they opened: at most
 *     {@link #MOST_UNOPENED} and the last
 */
public record LatchReport(OptionalLong set, int count, long last, long forgotten, Set<Long> unopened) {

    /** How many settings that ended before they opened a store remembers, beside the last setting. */
    public static final int MOST_UNOPENED = 16;

    /** What became of a setting. */
    public enum Fate {
        /** It is in force, and not open. */
        CLOSED,
        /** It is open, or was open before it ended. */
        OPENED,
        /** It ended before it opened. */
        UNOPENED,
        /** The store does not know it, or does not know it any more. */
        UNKNOWN
    }

    /** Keeps a copy of the numbers. */
    public LatchReport {
        unopened = Set.copyOf(unopened);
    }

    /** What became of the setting with that number. */
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
