package io.holdfast.internal.slot;

import io.holdfast.OnMaxHold;
import io.holdfast.Safety;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a client has of each name: a slot for each way to hold it and to wait for it. Beside these are the slots that nobody
 * may join: of one owner alone, or drained by those who were let in before.
 *
 * <p>For each {@link Safety} there are slots of their own: what is proven by one is not by another, and who waits for a replica
 * holds up nobody else.
 */
public final class Slots {

    private final ConcurrentHashMap<String, Set<Slot>> aside = new ConcurrentHashMap<>();
    private final SlotConfig config;
    private final Supplier<TenureId> ids;
    private final LingerBackoff revocations;
    private final Lanes usual;

    /** Of locks that want their grants to be elsewhere than most of this client's. */
    private final Map<Safety, Lanes> others = new ConcurrentHashMap<>();

    /** The slots that are open to those who want their grants to be at the same place. */
    private final class Lanes {

        final ConcurrentHashMap<String, Slot> barging = new ConcurrentHashMap<>();
        final ConcurrentHashMap<String, Slot> fair = new ConcurrentHashMap<>();
        final ConcurrentHashMap<String, Slot> writing = new ConcurrentHashMap<>();
        final ConcurrentHashMap<String, Slot> reading = new ConcurrentHashMap<>();
        final ConcurrentHashMap<String, Slot> upgrading = new ConcurrentHashMap<>();
        final ConcurrentHashMap<String, Slot> permits = new ConcurrentHashMap<>();
        final List<ConcurrentHashMap<String, Slot>> open = List.of(barging, fair, writing, reading, upgrading, permits);
        final SlotConfig config;
        final Predicate<String> isElsewhere = name -> lanes().anyMatch(
                        lanes -> lanes != this && (lanes.fair.containsKey(name) || lanes.barging.containsKey(name)));
        final Predicate<String> isInLine = name -> fair.containsKey(name) || isElsewhere.test(name);

        Lanes(SlotConfig config) {
            this.config = config;
        }

        ConcurrentHashMap<String, Slot> lane(Mode mode, boolean inOrder) {
            return switch (mode) {
                case WRITE -> writing;
                case READ -> reading;
                case UPGRADE -> upgrading;
                case PERMITS -> permits;
                case LOCK -> inOrder ? fair : barging;
            };
        }

        ConcurrentHashMap<String, Slot> lane(Slot slot) {
            return lane(slot.share.mode(), slot instanceof FairSlot);
        }

        Slot newSlot(String name, HoldSpec spec) {
            if (spec.waiting() == HoldSpec.Waiting.FAIR) {
                return new FairSlot(name, spec.share(), config, ids, isElsewhere);
            }
            if (spec.share().mode() == Mode.LOCK) {
                return new LingeringSlot(name, config, ids, revocations, isInLine);
            }
            return spec.share().mode() == Mode.READ && !isForOne(spec)
                    ? new SharedSlot(name, config, ids)
                    : new BargingSlot(name, spec.share(), config, ids);
        }
    }

    public Slots(SlotConfig config, Supplier<TenureId> ids) {
        this.config = config;
        this.ids = ids;
        this.revocations = new LingerBackoff(config.poll());
        this.usual = new Lanes(config);
    }

    private Lanes lanes(Safety safety) {
        return safety.equals(config.spec().safety())
                ? usual
                : others.computeIfAbsent(
                        safety, other -> new Lanes(config.with(config.spec().with(other))));
    }

    private Stream<Lanes> lanes() {
        return others.isEmpty() ? Stream.of(usual) : Stream.concat(Stream.of(usual), others.values().stream());
    }

    /** The slot for those who want the name like this, made if there is none. */
    public Slot get(String name, HoldSpec spec, boolean waits) {
        Lanes lanes = lanes(spec.safety());
        if (spec.share().mode() == Mode.PERMITS && spec.waiting() != HoldSpec.Waiting.FAIR && waits) {
            return lanes.permits.computeIfAbsent(name, key -> new PermitQueue(key, lanes.config, ids, this::alone));
        }
        return isForOne(spec)
                ? alone(lanes.newSlot(name, spec))
                : lanes.lane(spec.share().mode(), spec.waiting() == HoldSpec.Waiting.FAIR)
                        .computeIfAbsent(name, key -> lanes.newSlot(key, spec));
    }

    /** Whether the tenure ends in another way than those of others, or does not stand in the way of its owner's other one. */
    private static boolean isForOne(HoldSpec spec) {
        Mode mode = spec.share().mode();
        return mode == Mode.PERMITS || spec.share().beside().isPresent() || (mode == Mode.READ && !mayShare(spec));
    }

    /** Whether the end of the hold is that of the tenure, so that it may have one together with others. */
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

    /** Lets nobody in any more. Whatever looks for the slot finds it at all times; it may have retired meanwhile. */
    public void setAside(Slot slot) {
        alone(slot);
        lanes().forEach(lanes -> lanes.lane(slot).remove(slot.name, slot));
        if (slot.locked(() -> slot.retired)) {
            remove(slot);
        }
    }

    public void remove(Slot slot) {
        lanes().forEach(lanes -> lanes.lane(slot).remove(slot.name, slot));
        aside.computeIfPresent(slot.name, (name, all) -> {
            all.remove(slot);
            return all.isEmpty() ? null : all;
        });
    }

    /** All there are; one that is set aside meanwhile may come twice. */
    public Stream<Slot> all() {
        return Stream.concat(
                lanes().flatMap(lanes -> lanes.open.stream()).flatMap(slots -> slots.values().stream()),
                // looked at after the others, as a slot is there before it leaves them
                Stream.of(aside).flatMap(slots -> slots.values().stream().flatMap(Set::stream)));
    }

    /** Those there are of the name. */
    public Stream<Slot> of(String name) {
        Set<Slot> found = open(name);
        // after the others, as a slot is there before it leaves them
        Set<Slot> besides = aside.get(name);
        return (besides == null ? found : with(found, besides)).stream();
    }

    /** Visits each slot of the name, and each that one of them makes during its visit. */
    public void each(String name, Consumer<Slot> action) {
        Set<Slot> open = open(name);
        open.forEach(action);
        aside.getOrDefault(name, Set.of()).stream()
                .filter(slot -> !open.contains(slot))
                .forEach(action);
    }

    private Set<Slot> open(String name) {
        // mostly there is none
        Set<Slot> found = Set.of();
        for (ConcurrentHashMap<String, Slot> slots : usual.open) {
            found = with(found, slots.get(name));
        }
        for (Lanes lanes : others.values()) {
            for (ConcurrentHashMap<String, Slot> slots : lanes.open) {
                found = with(found, slots.get(name));
            }
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

    /** The hold of the thread under the name, in that mode, whichever way it waited for it. */
    public Optional<Hold> holdOf(String name, Mode mode, Thread thread) {
        Hold hold = hold(usual, name, mode, thread);
        for (Lanes lanes : others.values()) {
            hold = hold != null ? hold : hold(lanes, name, mode, thread);
        }
        if (mode == Mode.LOCK) {
            return Optional.ofNullable(hold);
        }
        // after the other, as a slot is there before it leaves it
        return Optional.ofNullable(hold)
                .or(() -> aside.getOrDefault(name, Set.of()).stream()
                        .filter(slot -> slot.share.mode() == mode)
                        .flatMap(slot -> Stream.ofNullable(slot.holdOf(thread)))
                        .findFirst());
    }

    private static @Nullable Hold hold(Lanes lanes, String name, Mode mode, Thread thread) {
        Hold hold = hold(lanes.lane(mode, false).get(name), thread);
        return hold != null || mode != Mode.LOCK ? hold : hold(lanes.fair.get(name), thread);
    }

    private static @Nullable Hold hold(@Nullable Slot slot, Thread thread) {
        return slot == null ? null : slot.holdOf(thread);
    }

    /** What the thread has itself, and would wait for if it waited for the name in that mode. */
    public Optional<Hold> inTheWay(String name, Share wanted, Thread me) {
        return mine(name, me)
                .filter(hold -> conflict(wanted, hold.tenure.share.mode()))
                .filter(hold -> !wanted.beside().equals(Optional.of(hold.tenure.id)))
                .findFirst();
    }

    /** What the thread has of the name by itself or by a lease. */
    public Stream<Hold> mine(String name, Thread me) {
        return holds(name).filter(hold -> hold.leasedBy(me) || hold.ownedBy(me));
    }

    /** Who may write later waits for those who write and wait for all who read. */
    private static boolean conflict(Share wanted, Mode held) {
        Mode mode = wanted.mode();
        boolean throughAnother =
                mode == Mode.UPGRADE && held == Mode.READ && wanted.beside().isEmpty();
        return (mode == Mode.LOCK) == (held == Mode.LOCK) && (throughAnother || !mode.goesWith(held));
    }

    /** Whether a client with one of these waits for another client with the other. */
    public static boolean areInTheWay(Mode one, Mode other) {
        return one != Mode.PERMITS && other != Mode.PERMITS && !one.goesWith(other);
    }

    /** What this client's owners have of the name, which is not that of a semaphore. */
    public Stream<Hold> holds(String name) {
        return of(name).filter(slot -> slot.share.mode() != Mode.PERMITS).flatMap(slot -> slot.holds().stream());
    }

    /** What is kept of the name, and owned by nobody. */
    public Optional<LingeringSlot.Kept> kept(String name) {
        return lingering(name).flatMap(slot -> slot.kept().stream()).findFirst();
    }

    /** Those of the name that may keep what nobody owns. */
    public Stream<LingeringSlot> lingering(String name) {
        return lanes().map(lanes -> lanes.barging.get(name))
                .filter(LingeringSlot.class::isInstance)
                .map(LingeringSlot.class::cast);
    }

    /** Whether locks of this client want their grants to be at different places. */
    public boolean areMixed() {
        return !others.isEmpty();
    }
}
