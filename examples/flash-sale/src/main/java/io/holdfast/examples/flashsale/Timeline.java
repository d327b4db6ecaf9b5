package io.holdfast.examples.flashsale;

import java.util.List;

/**
 * Who was between check and write when, and what happened there.
 *
 * @param visits in the order of their beginnings
 * @param mishaps in their order
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
     * @param accident what it was
     * @param at when, by the server's clock in milliseconds
     * @param visit the sale in which it happened
     */
    public record Mishap(Accident accident, long at, Visit visit) {}
}
