package io.holdfast.internal;

import io.holdfast.spi.TenureId;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a client has of each name: one slot for those who barge, one for those who wait in fair places. */
final class Slots {

    private final ConcurrentHashMap<String, Slot> barging = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Slot> fair = new ConcurrentHashMap<>();
    private final Rules rules;
    private final Supplier<TenureId> ids;

    Slots(Rules rules, Supplier<TenureId> ids) {
        this.rules = rules;
        this.ids = ids;
    }

    /** The slot of the name for those who wait this way, made if there is none. */
    Slot get(String name, Term.Way way) {
        return way == Term.Way.FAIR
                ? fair.computeIfAbsent(name, absent -> new FairSlot(absent, rules, ids))
                : barging.computeIfAbsent(name, absent -> new KeySlot(absent, rules, ids));
    }

    void remove(Slot slot) {
        (slot instanceof FairSlot ? fair : barging).remove(slot.name, slot);
    }

    Stream<Slot> all() {
        return Stream.concat(barging.values().stream(), fair.values().stream());
    }

    /** Those there are of the name. */
    Stream<Slot> of(String name) {
        return Stream.of(barging, fair).flatMap(slots -> Stream.ofNullable(slots.get(name)));
    }

    /** The hold of the thread under the name, whichever way it waited for it. */
    Optional<Hold> holdOf(String name, Thread thread) {
        Hold hold = hold(barging.get(name), thread);
        return Optional.ofNullable(hold != null ? hold : hold(fair.get(name), thread));
    }

    private static @Nullable Hold hold(@Nullable Slot slot, Thread thread) {
        return slot == null ? null : slot.holdOf(thread);
    }

    /** Who owns the name in this client. */
    Optional<Hold> owner(String name) {
        return of(name).flatMap(slot -> Stream.ofNullable(slot.owner())).findFirst();
    }
}
