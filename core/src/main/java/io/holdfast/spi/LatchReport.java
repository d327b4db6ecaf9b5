package io.holdfast.spi;

import java.util.Optional;

/**
 * What a store knows about one latch at one moment.
 *
 * @param set the {@link Change#id} of the request that set it; empty if it is not set
 * @param count how often it is still to be counted down; 0 if it is open, or not set
 * @param opened the same of the setting before, if the latch had opened when it was set anew
 */
public record LatchReport(Optional<TenureId> set, int count, Optional<TenureId> opened) {

    /** Whether a latch that was set by that request is open, or was when it was set anew. */
    public boolean hasOpened(TenureId setting) {
        boolean now = count == 0 && set.filter(setting::equals).isPresent();
        return now || opened.filter(setting::equals).isPresent();
    }
}
