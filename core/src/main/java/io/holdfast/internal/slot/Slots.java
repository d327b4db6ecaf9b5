package io.holdfast.internal.slot;

import io.holdfast.OnMaxHold;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a client. Each name has at most one open slot for each mode and each way of waiting. In addition, it may have
 * slots with a single owner, which no other owner joins.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A slot is added once, before it can retire, and removed once. If it is closed to newcomers, lookups still find it until
 *       its last owner has released its hold.
 *   <li>The entry of a name is immutable, and is replaced when a slot is added or removed. So a lookup sees a consistent
 *       snapshot of the few shared slots of the name. Slots with a single owner are in a concurrent set instead, because a
 *       semaphore has one for each acquisition.
 *   <li>Shared slots are visited before those with a single owner. A {@link PermitQueue} adds the own slot of a waiter, under
 *       its mutex, before it removes the waiter. So an event for all slots of a name finds the waiter in one of them.
 * </ol>
 */
public final class Slots implements OwnHolds {

    /** The entry of a name without a slot. */
    private static final Object NONE = new Slot[0];

    /** The entry of each name: a {@code Slot} if it has one, which saves an array for most names, or a {@code Slot[]}. */
    private final ConcurrentHashMap<String, Object> names = new ConcurrentHashMap<>();

    /** The slots with a single owner, by name. No set is empty. */
    private final ConcurrentHashMap<String, Set<Slot>> singleOwner = new ConcurrentHashMap<>();

    private final SlotConfig config;
    private final Supplier<TenureId> ids;
    private final LingerBackoff lingerBackoff;

    public Slots(SlotConfig config, Supplier<TenureId> ids) {
        this.config = config;
        this.ids = ids;
        this.lingerBackoff = new LingerBackoff(config.poll(), name -> open(entry(name), Mode.LOCK, true) != null);
    }

    // ---- entries

    private Object entry(String name) {
        return names.getOrDefault(name, NONE);
    }

    private static int count(Object entry) {
        return entry instanceof Slot[] several ? several.length : 1;
    }

    private static Slot at(Object entry, int index) {
        return entry instanceof Slot[] several ? several[index] : (Slot) entry;
    }

    private static List<Slot> list(Object entry) {
        return entry instanceof Slot[] several ? Arrays.asList(several) : List.of((Slot) entry);
    }

    private static Object with(@Nullable Object entry, Slot added) {
        if (entry == null) {
            return added;
        }
        Slot[] more = list(entry).toArray(new Slot[count(entry) + 1]);
        more[count(entry)] = added;
        return more;
    }

    private static @Nullable Object without(Object entry, Slot removed) {
        List<Slot> rest = new ArrayList<>(list(entry));
        rest.remove(removed);
        return rest.size() > 1 ? rest.toArray(new Slot[0]) : rest.isEmpty() ? null : rest.get(0);
    }

    /** Returns the slot of an entry that newcomers may join; null if there is none. */
    private static @Nullable Slot open(@Nullable Object entry, Mode mode, boolean inOrder) {
        for (int i = 0; entry != null && i < count(entry); i++) {
            Slot slot = at(entry, i);
            if (slot.share.mode() == mode && (slot instanceof FairSlot) == inOrder && !slot.closedToNewcomers) {
                return slot;
            }
        }
        return null;
    }

    // ---- changes

    /** Returns the slot for an acquire with this spec, and creates the slot if there is none. */
    public Slot get(String name, HoldSpec spec, boolean waits) {
        if (needsOwnSlot(spec, waits)) {
            return addSingleOwner(newSlot(name, spec, true));
        }
        Mode mode = spec.share().mode();
        boolean inOrder = spec.waiting() == HoldSpec.Waiting.FAIR;
        Slot found = open(entry(name), mode, inOrder);
        while (found == null) {
            Object entry = names.compute(
                    name,
                    (key, before) ->
                            open(before, mode, inOrder) == null ? with(before, newSlot(key, spec, false)) : before);
            // null if it was closed to newcomers in the meantime
            found = open(entry, mode, inOrder);
        }
        return found;
    }

    private Slot newSlot(String name, HoldSpec spec, boolean ownSlot) {
        if (spec.waiting() == HoldSpec.Waiting.FAIR) {
            return new FairSlot(name, spec.share(), config, ids);
        }
        Mode mode = spec.share().mode();
        if (mode == Mode.LOCK) {
            return new LingeringSlot(name, config, ids, lingerBackoff);
        }
        if (mode == Mode.READ && !ownSlot) {
            return new SharedSlot(name, config, ids);
        }
        return mode == Mode.PERMITS && !ownSlot
                ? new PermitQueue(name, config, ids, this::addSingleOwner)
                : new BargingSlot(name, spec.share(), config, ids);
    }

    /**
     * Returns {@code true} if the acquire needs a slot of its own: its tenure ends differently from those of others, or does
     * not conflict with another tenure of its owner. Waiters for permits share a queue until they are granted.
     */
    private static boolean needsOwnSlot(HoldSpec spec, boolean waits) {
        return switch (spec.share().mode()) {
            case PERMITS -> !waits || spec.waiting() == HoldSpec.Waiting.FAIR;
            // readers share a tenure only if their holds end with it
            case READ ->
                spec.share().beside().isPresent()
                        || !spec.acceptsAnyTenure()
                        || spec.maxHold().action() == OnMaxHold.STOP_RENEWING;
            case LOCK, WRITE -> false;
        };
    }

    /** Adds a slot with a single owner. */
    private Slot addSingleOwner(Slot slot) {
        slot.closedToNewcomers = true;
        singleOwner.compute(slot.name, (name, before) -> {
            Set<Slot> all = before == null ? ConcurrentHashMap.newKeySet(1) : before;
            all.add(slot);
            return all;
        });
        return slot;
    }

    /** Closes the slot to newcomers. Lookups still find it, until it is removed. */
    public void closeToNewcomers(Slot slot) {
        slot.closedToNewcomers = true;
        // after an error, the effect that removes a retired slot may be lost
        if (slot.locked(() -> slot.retired)) {
            remove(slot);
        }
    }

    public void remove(Slot slot) {
        names.computeIfPresent(slot.name, (name, before) -> without(before, slot));
        singleOwner.computeIfPresent(slot.name, (name, all) -> {
            all.remove(slot);
            return all.isEmpty() ? null : all;
        });
    }

    // ---- lookups

    /** Returns all slots. */
    public Stream<Slot> all() {
        return Stream.concat(
                names.values().stream().flatMap(entry -> list(entry).stream()),
                singleOwner.values().stream().flatMap(Set::stream));
    }

    /** Returns the slots of the name. */
    public Stream<Slot> of(String name) {
        Stream<Slot> shared = list(entry(name)).stream();
        Set<Slot> alone = singleOwner.get(name);
        return alone == null ? shared : Stream.concat(shared, alone.stream());
    }

    /** Visits each slot, and each slot that one of these adds during its visit. */
    public void each(Consumer<Slot> action) {
        names.keySet().forEach(name -> eachShared(name, action));
        singleOwner.values().forEach(all -> all.forEach(action));
    }

    /** Visits each slot of the name, and each slot that one of these adds during its visit. */
    public void each(String name, Consumer<Slot> action) {
        eachShared(name, action);
        singleOwner.getOrDefault(name, Set.of()).forEach(action);
    }

    private void eachShared(String name, Consumer<Slot> action) {
        // most names have no slot: nothing is allocated for them
        Object found = entry(name);
        for (int i = 0; i < count(found); i++) {
            action.accept(at(found, i));
        }
        Object now = entry(name);
        if (now != found) {
            Set<Slot> visited = new HashSet<>(list(found));
            list(now).stream().filter(slot -> !visited.contains(slot)).forEach(action);
        }
    }

    @Override
    public Optional<Hold> holdOf(String name, Mode mode, Thread thread) {
        Object found = entry(name);
        for (int i = 0; i < count(found); i++) {
            Slot slot = at(found, i);
            Hold hold = slot.share.mode() == mode ? slot.holdOf(thread) : null;
            if (hold != null) {
                return Optional.of(hold);
            }
        }
        // most names have no slot with a single owner: nothing is allocated for them
        Set<Slot> alone = singleOwner.get(name);
        return alone == null
                ? Optional.empty()
                : alone.stream()
                        .filter(slot -> slot.share.mode() == mode)
                        .flatMap(slot -> Stream.ofNullable(slot.holdOf(thread)))
                        .findFirst();
    }

    @Override
    public Optional<Hold> selfBlockingHold(String name, Share requested, Thread thread) {
        return heldBy(name, thread)
                .filter(hold -> conflict(requested.mode(), hold.tenure.share.mode()))
                .filter(hold -> !requested.beside().equals(Optional.of(hold.tenure.id)))
                .findFirst();
    }

    @Override
    public Stream<Hold> heldBy(String name, Thread thread) {
        return holds(name).filter(hold -> hold.leasedBy(thread) || hold.ownedBy(thread));
    }

    /** Returns {@code true} if a request in one mode would wait for a hold in the other one. */
    private static boolean conflict(Mode requested, Mode held) {
        return (requested == Mode.LOCK) == (held == Mode.LOCK) && !requested.isCompatibleWith(held);
    }

    /** Returns the holds of this client under the name, except those of a semaphore. */
    public Stream<Hold> holds(String name) {
        return of(name).filter(slot -> slot.share.mode() != Mode.PERMITS).flatMap(slot -> slot.holds().stream());
    }

    @Override
    public boolean isRequested(String name) {
        return of(name).anyMatch(slot -> slot.locked(() -> {
            Tenure tenure = slot.tenure();
            return tenure != null && tenure.state == Tenure.State.WAITING && !tenure.queued;
        }));
    }

    /** Returns the lingering tenure of the name, which has no owner. */
    public Optional<LingeringSlot.Lingering> lingeringTenure(String name) {
        return lingeringSlots(name).flatMap(slot -> slot.lingering().stream()).findFirst();
    }

    /** Returns the slots of the name that may let a tenure linger. */
    public Stream<LingeringSlot> lingeringSlots(String name) {
        return of(name).filter(LingeringSlot.class::isInstance).map(LingeringSlot.class::cast);
    }
}
