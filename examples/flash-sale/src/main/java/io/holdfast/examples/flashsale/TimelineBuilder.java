package io.holdfast.examples.flashsale;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Pairs the begin and end entries. An end without a begin is older than the journal, and is dropped. */
final class TimelineBuilder {

    private record Name(Seller seller, long number) {

        static Name of(Entry entry) {
            return new Name(entry.seller(), entry.number());
        }
    }

    private final Map<Name, Visit> visits = new HashMap<>();
    private final List<Entries.Timed> accidents = new ArrayList<>();
    private final Map<Integer, Long> deaths = new HashMap<>();

    void journal(Entries.Timed timed) {
        Entry entry = timed.entry();
        switch (entry.what()) {
            case Entry.BEGIN -> visits.put(Name.of(entry), new Visit(entry.seller(), timed.millis(), Visit.NEVER));
            case Entry.END -> end(timed);
            default -> accident(timed);
        }
    }

    private void accident(Entries.Timed timed) {
        accidents.add(timed);
        if (timed.entry().what().equals(Accident.HALT.name())) {
            deaths.put(timed.entry().seller().process(), timed.millis());
        }
    }

    void order(Entries.Timed timed) {
        end(timed);
    }

    private void end(Entries.Timed timed) {
        visits.computeIfPresent(Name.of(timed.entry()), (name, visit) -> visit.endingAt(timed.millis()));
    }

    Timeline build() {
        visits.replaceAll((name, visit) -> endedByDeath(visit));
        List<Visit> sorted = visits.values().stream()
                .sorted(Comparator.comparingLong(Visit::begin))
                .toList();
        return new Timeline(sorted, accidents.stream().flatMap(this::mishap).toList());
    }

    private Visit endedByDeath(Visit visit) {
        Long death = deaths.get(visit.seller().process());
        return death == null || visit.end() != Visit.NEVER ? visit : visit.endingAt(Math.max(visit.begin(), death));
    }

    private Stream<Timeline.Mishap> mishap(Entries.Timed timed) {
        Accident accident = Accident.valueOf(timed.entry().what());
        return Stream.ofNullable(visits.get(Name.of(timed.entry())))
                .map(visit -> new Timeline.Mishap(accident, timed.millis(), visit));
    }
}
