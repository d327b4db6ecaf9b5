package io.holdfast.internal.slot;

import io.holdfast.OnMaxHold;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a client: for each name, one slot for each way to hold it and to wait for it. Besides these there are slots that
 * nobody may join. Such a slot has a single owner, or is drained by the owners that were let in before.
 *
 * <p>A slot that is set aside is added to the slots aside before it is removed from the open ones. A lookup reads the open
 * slots first. So a lookup that races with the move finds the slot at least once.
 */
public final class Slots {

    private final ConcurrentHashMap<String, Slot> barging = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Slot> fair = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Slot> writing = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Slot> reading = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Slot> upgrading = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Slot> permits = new ConcurrentHashMap<>();
    private final List<ConcurrentHashMap<String, Slot>> open =
            List.of(barging, fair, writing, reading, upgrading, permits);
    private final ConcurrentHashMap<String, Set<Slot>> aside = new ConcurrentHashMap<>();
    private final SlotConfig config;
    private final Supplier<TenureId> ids;
    private final LingerBackoff revocations;

    public Slots(SlotConfig config, Supplier<TenureId> ids) {
        this.config = config;
        this.ids = ids;
        this.revocations = new LingerBackoff(config.poll());
    }

    private ConcurrentHashMap<String, Slot> open(Mode mode, boolean inOrder) {
        return switch (mode) {
            case WRITE -> writing;
            case READ -> reading;
            case UPGRADE -> upgrading;
            case PERMITS -> permits;
            case LOCK -> inOrder ? fair : barging;
        };
    }

    private ConcurrentHashMap<String, Slot> open(Slot slot) {
        return open(slot.share.mode(), slot instanceof FairSlot);
    }

    private Slot newSlot(String name, HoldSpec spec) {
        if (spec.waiting() == HoldSpec.Waiting.FAIR) {
            return new FairSlot(name, spec.share(), config, ids);
        }
        if (spec.share().mode() == Mode.LOCK) {
            return new LingeringSlot(name, config, ids, revocations, fair::containsKey);
        }
        return spec.share().mode() == Mode.READ && !isForOne(spec)
                ? new SharedSlot(name, config, ids)
                : new BargingSlot(name, spec.share(), config, ids);
    }

    /** Returns the slot for an acquire with this spec, and creates the slot if there is none. */
    public Slot get(String name, HoldSpec spec, boolean waits) {
        if (spec.share().mode() == Mode.PERMITS && spec.waiting() != HoldSpec.Waiting.FAIR && waits) {
            return permits.computeIfAbsent(name, key -> new PermitQueue(key, config, ids, this::alone));
        }
        return isForOne(spec)
                ? alone(newSlot(name, spec))
                : open(spec.share().mode(), spec.waiting() == HoldSpec.Waiting.FAIR)
                        .computeIfAbsent(name, key -> newSlot(key, spec));
    }

    /**
     * Returns {@code true} if the acquire needs a slot of its own: its tenure ends in another way than those of others, or does
     * not conflict with another tenure of its owner.
     */
    private static boolean isForOne(HoldSpec spec) {
        Mode mode = spec.share().mode();
        return mode == Mode.PERMITS || spec.share().beside().isPresent() || (mode == Mode.READ && !mayShare(spec));
    }

    /** Returns {@code true} if the end of the hold is that of its tenure, so that the hold may share the tenure with others. */
    private static boolean mayShare(HoldSpec spec) {
        return spec.takesAny() && spec.maxHold().then() != OnMaxHold.STOP_RENEWING;
    }

    private Slot alone(Slot slot) {
        aside.compute(slot.name, (name, before) -> {
            Set<Slot> all = before == null ? ConcurrentHashMap.newKeySet() : before;
            all.add(slot);
            return all;
        });
        return slot;
    }

    /**
     * Closes the slot to newcomers. Every lookup finds the slot at all times. If the slot has retired in the meantime, it is
     * removed.
     */
    public void setAside(Slot slot) {
        alone(slot);
        open(slot).remove(slot.name, slot);
        if (slot.locked(() -> slot.retired)) {
            remove(slot);
        }
    }

    public void remove(Slot slot) {
        open(slot).remove(slot.name, slot);
        aside.computeIfPresent(slot.name, (name, all) -> {
            all.remove(slot);
            return all.isEmpty() ? null : all;
        });
    }

    /** Returns all slots. A slot that is set aside in the meantime may occur twice. */
    public Stream<Slot> all() {
        return Stream.concat(
                open.stream().flatMap(slots -> slots.values().stream()),
                // read after the open slots: a slot is here before it leaves them
                Stream.of(aside).flatMap(slots -> slots.values().stream().flatMap(Set::stream)));
    }

    /** Returns the slots of the name. */
    public Stream<Slot> of(String name) {
        Set<Slot> found = open(name);
        // read after the open slots: a slot is here before it leaves them
        Set<Slot> besides = aside.get(name);
        return (besides == null ? found : with(found, besides)).stream();
    }

    /** Visits each slot of the name, and each slot that one of these creates during its visit. */
    public void each(String name, Consumer<Slot> action) {
        Set<Slot> open = open(name);
        open.forEach(action);
        aside.getOrDefault(name, Set.of()).stream()
                .filter(slot -> !open.contains(slot))
                .forEach(action);
    }

    private Set<Slot> open(String name) {
        // most names have no slot: nothing is allocated for them
        Set<Slot> found = Set.of();
        for (ConcurrentHashMap<String, Slot> slots : open) {
            found = with(found, slots.get(name));
        }
        return found;
    }

    private static Set<Slot> with(Set<Slot> some, @Nullable Slot another) {
        return another == null ? some : with(some, List.of(another));
    }

    private static Set<Slot> with(Set<Slot> some, Collection<Slot> more) {
        Set<Slot> all = some.isEmpty() ? new LinkedHashSet<>() : some;
        all.addAll(more);
        return all;
    }

    /** Returns the hold of the thread under the name in the given mode, whichever way the thread waited for it. */
    public Optional<Hold> holdOf(String name, Mode mode, Thread thread) {
        Hold hold = openHold(name, mode, thread);
        if (mode == Mode.LOCK) {
            return Optional.ofNullable(hold);
        }
        // read after the open slots: a slot is here before it leaves them
        return Optional.ofNullable(hold)
                .or(() -> aside.getOrDefault(name, Set.of()).stream()
                        .filter(slot -> slot.share.mode() == mode)
                        .flatMap(slot -> Stream.ofNullable(slot.holdOf(thread)))
                        .findFirst());
    }

    private @Nullable Hold openHold(String name, Mode mode, Thread thread) {
        Hold hold = hold(open(mode, false).get(name), thread);
        return hold != null || mode != Mode.LOCK ? hold : hold(fair.get(name), thread);
    }

    private static @Nullable Hold hold(@Nullable Slot slot, Thread thread) {
        return slot == null ? null : slot.holdOf(thread);
    }

    /**
     * Returns a hold of the thread for which the thread itself would wait if it waited for the name in this share
     * (self-deadlock).
     */
    public Optional<Hold> inTheWay(String name, Share wanted, Thread me) {
        return mine(name, me)
                .filter(hold -> conflict(wanted, hold.tenure.share.mode()))
                .filter(hold -> !wanted.beside().equals(Optional.of(hold.tenure.id)))
                .findFirst();
    }

    /** Returns the holds that the thread has under the name, by itself or by a lease. */
    public Stream<Hold> mine(String name, Thread me) {
        return holds(name).filter(hold -> hold.leasedBy(me) || hold.ownedBy(me));
    }

    /**
     * Returns {@code true} if a request for the share waits for a hold in that mode, directly or through another owner. An
     * upgradeable request waits for writers, and writers wait for all readers.
     */
    private static boolean conflict(Share wanted, Mode held) {
        Mode mode = wanted.mode();
        boolean throughAnother =
                mode == Mode.UPGRADE && held == Mode.READ && wanted.beside().isEmpty();
        return (mode == Mode.LOCK) == (held == Mode.LOCK) && (throughAnother || !mode.goesWith(held));
    }

    /** Returns the holds of this client under the name, except those of a semaphore. */
    public Stream<Hold> holds(String name) {
        return of(name).filter(slot -> slot.share.mode() != Mode.PERMITS).flatMap(slot -> slot.holds().stream());
    }

    /** Returns the lingering tenure of the name, which nobody owns. */
    public Optional<LingeringSlot.Kept> kept(String name) {
        return lingering(name).flatMap(slot -> slot.kept().stream()).findFirst();
    }

    /** Returns the slots of the name that may let a tenure linger. */
    public Stream<LingeringSlot> lingering(String name) {
        return Stream.ofNullable(barging.get(name))
                .filter(LingeringSlot.class::isInstance)
                .map(LingeringSlot.class::cast);
    }
}
