package io.holdfast;

/**
 * What the store knows about one latch that is set, at one moment.
 *
 * @param name the name of the latch
 * @param count how often it is still to be counted down; 0 if it is open
 */
public record LatchCount(String name, int count) {

    /** Whether it was counted down to zero. */
    public boolean isOpen() {
        return count == 0;
    }
}
