package io.holdfast.spi;

import java.util.Optional;
import java.util.Set;

/**
 * What a store knows about one latch at one moment.
 *
 * @param set the {@link Change#id} of the request that set it; empty if it is not set
 * @param count how often it is still to be counted down; 0 if it is open, or not set
 * @param opened the same of the settings that opened in the last minute, also if the latch was set anew since, or is gone; a
 *     store may keep the last 16 only
 */
public record LatchReport(Optional<TenureId> set, int count, Set<TenureId> opened) {

    /** Keeps a copy of the settings. */
    public LatchReport {
        opened = Set.copyOf(opened);
    }

    /** Whether a latch that was set by that request is open, or has opened in the last minute. */
    public boolean hasOpened(TenureId setting) {
        boolean now = count == 0 && set.filter(setting::equals).isPresent();
        return now || opened.contains(setting);
    }
}
