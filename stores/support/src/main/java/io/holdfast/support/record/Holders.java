package io.holdfast.support.record;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The holders of a name, the earliest first. A lock has one holder. Readers and holders of permits can be several.
 *
 * @param all the holders, each with a different tenure
 */
public record Holders(List<Holder> all) {

    /** The holders of a free name. */
    public static final Holders NONE = new Holders(List.of());

    /** Copies the list. */
    public Holders {
        all = List.copyOf(all);
    }

    /** Returns {@code true} if nobody holds the name. */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** Returns the hold of a tenure; empty if it holds nothing. */
    public Optional<Holder> of(TenureId tenure) {
        return all.stream().filter(holder -> holder.tenure().equals(tenure)).findFirst();
    }

    boolean include(TenureId tenure) {
        return of(tenure).isPresent();
    }

    /** Returns {@code true} if the name is held as another kind of lock than the requested one. */
    boolean areOfOtherKind(Mode requested) {
        return all.stream().anyMatch(holder -> (holder.mode() == Mode.LOCK) != (requested == Mode.LOCK));
    }

    /** Returns {@code true} if no holder conflicts with the requested mode. The tenure {@code beside} never conflicts. */
    boolean admit(Mode requested, Optional<TenureId> beside) {
        return all.stream()
                .allMatch(holder -> beside.filter(holder.tenure()::equals).isPresent()
                        || requested.isCompatibleWith(holder.mode()));
    }

    boolean admit(Mode requested) {
        return admit(requested, Optional.empty());
    }

    OptionalLong earliestExpiry() {
        return all.stream().mapToLong(Holder::expires).min();
    }

    OptionalLong latestExpiry() {
        return all.stream().mapToLong(Holder::expires).max();
    }

    /** Returns the number of permits that are held. */
    public int permits() {
        return all.stream().mapToInt(Holder::permits).sum();
    }

    Map<TenureId, Holder> byTenure() {
        Map<TenureId, Holder> map = new LinkedHashMap<>();
        all.forEach(holder -> map.put(holder.tenure(), holder));
        return map;
    }

    /** Adds holders. A holder of the same tenure is replaced, and keeps its place in the order. */
    Holders with(List<Holder> some) {
        Map<TenureId, Holder> changed = byTenure();
        some.forEach(holder -> changed.put(holder.tenure(), holder));
        return new Holders(List.copyOf(changed.values()));
    }

    /** Returns the holders after the end of some sessions. A hold of such a session stays if it is to be kept. */
    Holders afterSessions(Predicate<Holder> ended) {
        return all.stream().anyMatch(ended)
                ? new Holders(all.stream()
                        .flatMap(holder -> ended.test(holder) ? kept(holder) : Stream.of(holder))
                        .toList())
                : this;
    }

    private static Stream<Holder> kept(Holder holder) {
        return holder.keptUntil() == 0 ? Stream.empty() : Stream.of(holder.detached(LockRecord.NEVER));
    }

    Holders without(Predicate<Holder> removed) {
        return all.stream().anyMatch(removed)
                ? new Holders(all.stream().filter(removed.negate()).toList())
                : this;
    }

    Holders without(TenureId tenure) {
        return without(holder -> holder.tenure().equals(tenure));
    }
}
