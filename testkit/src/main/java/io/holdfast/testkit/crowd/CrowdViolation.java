package io.holdfast.testkit.crowd;

/**
 * A promise that was broken while a crowd worked.
 *
 * @param kind the kind of the promise
 * @param text what happened
 */
public record CrowdViolation(String kind, String text) {

    @Override
    public String toString() {
        return kind + ": " + text;
    }
}
