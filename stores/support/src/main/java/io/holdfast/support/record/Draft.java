package io.holdfast.support.record;

import static io.holdfast.spi.Names.quoted;
import static java.util.stream.Collectors.toSet;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/**
 * A decision in progress: the changed record, and the notices to send. It has the steps that all kinds of names share. A draft
 * is for one decision on one thread.
 */
final class Draft {

    private final String name;
    private final Moment moment;
    private final Limits limits;
    private final Set<Notice> notices = new LinkedHashSet<>();
    private LockRecord record;

    /** Creates a draft of a record, without everything in it that has expired. */
    Draft(LockRecord before, String name, Moment moment, Limits limits) {
        this.name = name;
        this.moment = moment;
        this.limits = limits;
        record = before.expire(moment.now());
    }

    <R> Decision<R> decided(R reply) {
        return new Decision<>(record, reply, List.copyOf(notices));
    }

    static StoreException refused(String text) {
        return new StoreException(StoreException.Effect.REFUSED, text);
    }

    String name() {
        return name;
    }

    long now() {
        return moment.now();
    }

    /** Returns the time that replies state. */
    long clock() {
        return moment.clock();
    }

    Moment moment() {
        return moment;
    }

    LockRecord record() {
        return record;
    }

    Holders holders() {
        return record.holders();
    }

    Places queue() {
        return record.queue();
    }

    void update(LockRecord next) {
        record = next;
    }

    void notify(Party to, Function<String, Signal> signal) {
        notices.add(new Notice(to, signal.apply(name)));
    }

    // ---- holds

    /** Makes the tenure a holder, or replaces its present hold, and removes it from the queue. */
    Holder grant(Acquire request, int permits) {
        Holder wanted = new Holder(
                claimant(request.tenure()),
                request.share().mode(),
                moment.after(request.lease()),
                keptUntil(request.minHold()),
                permits,
                Grant.NONE,
                false);
        Optional<Holder> held = holders().of(wanted.tenure());
        if (held.isEmpty() && room() <= 0) {
            throw refused("the name " + quoted(name) + " has " + limits.holders()
                    + " holders, the maximum of this store; retry when one has released it");
        }
        Holder holder = withTokens(wanted, held, request.tokens());
        record = record.with(holders().with(List.of(holder)));
        withdraw(holder.tenure());
        return holder;
    }

    /**
     * Assigns the name to the tenures of the given positions, each for a claim window, until a request of the tenure arrives.
     * All are assigned in one step, because each change copies the record.
     *
     * @param places positions of different tenures, no more than there is {@linkplain #room} for
     */
    List<Holder> assign(List<Place> places) {
        if (places.isEmpty()) {
            return List.of();
        }
        Map<TenureId, Holder> held = holders().byTenure();
        List<Holder> assigned = new ArrayList<>();
        for (Place place : places) {
            long expires = now() + Math.min(limits.claimMicros(), place.lease());
            Holder wanted = new Holder(place.claimant(), place.mode(), expires, 0, place.permits(), Grant.NONE, true);
            assigned.add(withTokens(wanted, Optional.ofNullable(held.get(place.tenure())), place.tokens()));
        }
        Set<TenureId> served = places.stream().map(Place::tenure).collect(toSet());
        record = record.with(holders().with(assigned)).with(queue().without(place -> served.contains(place.tenure())));
        return assigned;
    }

    private Holder withTokens(Holder wanted, Optional<Holder> held, long tokens) {
        boolean alone = held.isEmpty() && wanted.mode() == Mode.LOCK;
        Tokens before = alone ? record.tokens().forNewHolder() : record.tokens();
        Grant grant = before.next(tokens, now());
        record = record.with(before.after(grant));
        return held.map(wanted::following).orElse(wanted).granted(grant);
    }

    /** Returns the number of holders that the name can have in addition to the present ones. */
    int room() {
        return limits.holders() - holders().all().size();
    }

    /** Notifies the tenure of a position that the name was assigned to it. */
    void notifyAssigned(Holder holder, int foreignWaiters, long next) {
        notify(
                holder.claimant().party(),
                named -> new Signal.Assigned(
                        named,
                        holder.tenure(),
                        holder.mode(),
                        holder.grant().tokens(),
                        foreignWaiters,
                        next,
                        holder.expires(),
                        moment.run()));
    }

    /** Draws further tokens for a holder. */
    TokenBlock draw(TenureId tenure, long wanted) {
        Grant grant = record.tokens().next(wanted, now());
        Holder holder = holders().of(tenure).orElseThrow().granted(grant);
        record = record.with(record.tokens().after(grant)).with(holders().with(List.of(holder)));
        return grant.tokens();
    }

    void extend(Holder holder, Renew request) {
        Holder extended = holder.claimedUntil(moment.after(request.lease())).keptUntil(keptUntil(request.minHold()));
        record = record.with(holders().with(List.of(extended)));
    }

    /** Returns {@code true} unless the session of a hold has ended, so that the hold is lost and only its name is kept. */
    boolean isPresent(Holder holder) {
        return moment.session().isEmpty() || holder.claimant().session().isPresent();
    }

    /** Returns the time until which a hold stays if its session ends. A hold without a session always stays for its lease. */
    private long keptUntil(Duration minHold) {
        return moment.session().isEmpty() || minHold.isZero() ? 0 : moment.wall() + Moment.micros(minHold);
    }

    /**
     * Ends a hold. Only a lock takes back unused tokens. In the other modes, another tenure may have drawn higher tokens since,
     * even while a writer holds the name.
     */
    void free(Holder holder, long lastToken) {
        if (lastToken > 0 && holder.mode() == Mode.LOCK) {
            record = record.with(record.tokens().usedUpTo(lastToken));
        }
        record = record.with(holders().without(holder.tenure()));
    }

    /** Ends a hold by the release of its owner, which leaves a mark. */
    void release(Holder holder, long lastToken) {
        free(holder, lastToken);
        record = record.with(record.tokens().marked());
    }

    // ---- places

    /** Returns the position of a request in the queue. A request without a position counts as the last one. */
    long positionOf(Acquire request) {
        long before = request.arrival() == 0 ? Long.MAX_VALUE : request.arrival();
        return queue().of(request.tenure()).map(Place::arrival).orElse(before);
    }

    /** Returns the position that the tenure has in the queue; 0 for none. */
    long positionOf(TenureId tenure) {
        return queue().of(tenure).map(Place::arrival).orElse(0L);
    }

    /** Adds the tenure of a request to the wait queue, like {@link #enqueue(Acquire, Acquire.Place, boolean)}. */
    boolean enqueue(Acquire request) {
        boolean fair = request.queueing() == Acquire.Queueing.FAIR;
        return enqueue(
                request,
                new Acquire.Place(request.tenure(), request.arrival(), request.lease(), request.waited()),
                fair);
    }

    /**
     * Adds a tenure to the wait queue, or refreshes its position.
     *
     * @return {@code true} if the position is new
     */
    boolean enqueue(Acquire request, Acquire.Place wanted, boolean fair) {
        TenureId tenure = wanted.tenure();
        Optional<Place> old = queue().of(tenure);
        if (old.isEmpty() && !queue().hasRoomFor(tenure.clientId(), fair, limits)) {
            return false;
        }
        Place place = place(request, wanted, fair, old);
        if (old.isEmpty()) {
            record = record.with(queue().with(place));
        } else if (!old.get().isStillFresh(place)) {
            record = record.with(queue().with(old.get(), place));
        }
        return old.isEmpty();
    }

    private Place place(Acquire request, Acquire.Place wanted, boolean fair, Optional<Place> old) {
        return new Place(
                claimant(wanted.tenure()),
                request.share().mode(),
                fair,
                old.map(Place::arrival).orElseGet(() -> arrival(wanted)),
                now(),
                Moment.micros(wanted.lease()),
                request.tokens(),
                request.share().permits());
    }

    private long arrival(Acquire.Place wanted) {
        if (wanted.arrival() != 0) {
            return wanted.arrival();
        } else if (wanted.waited().isZero()) {
            return takeArrival();
        }
        long arrival = queue().arrivalOf(wanted.tenure().clientId(), now() - Moment.micros(wanted.waited()));
        record = record.with(queue().afterArrival(arrival));
        return arrival;
    }

    /** Issues a new arrival number, and returns it. So the record differs from the one before. */
    @CanIgnoreReturnValue
    long takeArrival() {
        record = record.with(queue().afterArrival(queue().nextArrival(now())));
        return queue().lastArrival();
    }

    boolean hasRoomFor(List<Latch.Listener> listeners) {
        return listeners.size() < limits.places();
    }

    void withdraw(TenureId tenure) {
        record = record.with(queue().without(tenure));
    }

    // ---- replies

    Acquire.Refused refusal(TenureId tenure, List<Long> behind, OptionalLong free) {
        long wait = free.isPresent() ? free.getAsLong() - now() : limits.claimMicros();
        return new Acquire.Refused(
                Duration.ofSeconds(wait / 1_000_000, wait % 1_000_000 * 1_000),
                positionOf(tenure),
                behind,
                holders().all().stream()
                        .findFirst()
                        .map(holder -> holder.tenure().toString()),
                clock(),
                moment.run());
    }

    private Claimant claimant(TenureId tenure) {
        return Claimant.of(tenure, moment.session());
    }
}
