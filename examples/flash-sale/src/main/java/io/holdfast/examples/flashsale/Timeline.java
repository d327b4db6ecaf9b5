package io.holdfast.examples.flashsale;

import java.util.List;

/**
 * The visits between check and write, and the accidents.
 *
 * @param visits the visits in the order of their beginnings
 * @param mishaps the accidents in their order
 */
public record Timeline(List<Visit> visits, List<Mishap> mishaps) {

    /** Copies the lists. */
    public Timeline {
        visits = List.copyOf(visits);
        mishaps = List.copyOf(mishaps);
    }

    /**
     * An accident that happened.
     *
     * @param accident the kind of accident
     * @param at the time, in milliseconds by the server's clock
     * @param visit the purchase in which it happened
     */
    public record Mishap(Accident accident, long at, Visit visit) {}
}
