package io.holdfast.support.record;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import java.util.List;

/** The decisions about locks and read/write locks; see {@link io.holdfast.spi.LockStore#acquire}. */
record LockDecider(Draft draft) implements NameDecider {

    private Holders holders() {
        return draft.holders();
    }

    private Places queue() {
        return draft.queue();
    }

    @Override
    public Acquire.Reply acquire(Acquire request) {
        requireKind(request.share().mode());
        if (holders().isEmpty() && queue().isFairBefore(draft.positionOf(request))) {
            serve(false);
        }
        // the served waiter may only have been woken, and may be dead, so this request may still be granted
        return admits(request) ? grant(request) : refuse(request);
    }

    private void requireKind(Mode wanted) {
        if (holders().areOfOtherKind(wanted)) {
            throw Draft.refused("the name " + quoted(draft.name()) + " is held as "
                    + (wanted == Mode.LOCK
                            ? "a read/write lock, and requested as a lock"
                            : "a lock, and requested as a read/write lock")
                    + "; use it as one of them only, or rename one");
        }
    }

    private boolean admits(Acquire request) {
        Share share = request.share();
        long position = draft.positionOf(request);
        boolean free = holders().isEmpty();
        boolean beside = share.beside().filter(holders()::include).isPresent();
        boolean joins = share.mode() != Mode.LOCK && !free && !beside;
        return holders().include(request.tenure())
                || (holders().admit(share.mode(), share.beside())
                        && !(free && queue().isFairBefore(position))
                        && !(joins && queue().isWriterBefore(position)));
    }

    private Acquire.Reply grant(Acquire request) {
        var tokens = draft.grant(request, 0).grant().tokens();
        List<Long> behind = enqueueBehind(request);
        return new Acquire.Granted(tokens, request.lease(), waiters(request.tenure()), behind, 0, draft.clock());
    }

    /** Refuses a request, and adds it to the queue if it asks for that. */
    private Acquire.Refused refuse(Acquire request) {
        if (request.queueing() != Queueing.NONE && draft.enqueue(request)) {
            notifyHolders(request);
        } else {
            notifyLingering(request.tenure());
        }
        List<Long> behind = enqueueBehind(request);
        return draft.refusal(request.tenure(), behind, holders().latestExpiry());
    }

    /**
     * Notifies the holder of a lingering lock. A holder is otherwise notified only of new places in the queue, so a lingering
     * lock would keep out all other requests.
     */
    private void notifyLingering(TenureId asking) {
        holders().all().stream()
                .map(Holder::claimant)
                .filter(holder -> holder.lingers() && !holder.isOf(asking.clientId()))
                .forEach(holder -> draft.notify(holder.party(), Signal.Wanted::new));
    }

    private List<Long> enqueueBehind(Acquire request) {
        return request.behind().stream()
                .map(place -> {
                    if (draft.enqueue(request, place, true)) {
                        notifyHolders(request);
                    }
                    return draft.positionOf(place.tenure());
                })
                .toList();
    }

    /** Notifies the holders of a new place. The holder of a lock is notified only of a place of another client. */
    private void notifyHolders(Acquire request) {
        boolean alsoOwn = request.share().mode() != Mode.LOCK;
        holders().all().stream()
                .map(Holder::claimant)
                .filter(holder -> alsoOwn || !holder.isOf(request.tenure().clientId()))
                .map(Claimant::party)
                .distinct()
                .forEach(holder -> draft.notify(holder, Signal.Wanted::new));
    }

    @Override
    public void serve(boolean yield) {
        List<Place> next = next();
        if (next.stream().allMatch(place -> yield || place.fair() || place.mode() != Mode.LOCK)) {
            assign(next);
        } else {
            next.forEach(place -> draft.withdraw(place.tenure()));
            next.forEach(place -> draft.notify(place.claimant().party(), Signal.Freed::new));
        }
    }

    /**
     * Returns the places to serve. It is empty if a holder conflicts with the first place. After a reader, all readers that
     * directly follow are served as well.
     */
    private List<Place> next() {
        List<Place> waiting = queue().all();
        if (waiting.isEmpty()
                || draft.room() <= 0
                || !holders().admit(waiting.get(0).mode())) {
            return List.of();
        }
        List<Place> readers = waiting.stream()
                .takeWhile(place -> place.mode() == Mode.READ)
                .limit(draft.room())
                .toList();
        return readers.isEmpty() ? waiting.subList(0, 1) : readers;
    }

    /** Assigns the name to one place, or to several readers. All readers have the same number of waiters behind them. */
    private void assign(List<Place> places) {
        List<Holder> assigned = draft.assign(places);
        int waiters = assigned.isEmpty() ? 0 : waiters(assigned.get(0).tenure());
        assigned.forEach(holder -> draft.notifyAssigned(
                holder, waiters, queue().endOfFairRun(holder.tenure().clientId())));
    }

    @Override
    public int waiters(TenureId holder) {
        return queue().clientsBeyondHandoffOf(holder.clientId());
    }
}
