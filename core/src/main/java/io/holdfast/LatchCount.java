package io.holdfast;

/**
 * The state of one latch that is set, as the store knows it at one moment.
 *
 * @param name the name of the latch
 * @param count the current count; 0 if the latch is open
 */
public record LatchCount(String name, int count) {

    /** Returns {@code true} if the latch was counted down to zero. */
    public boolean isOpen() {
        return count == 0;
    }
}
