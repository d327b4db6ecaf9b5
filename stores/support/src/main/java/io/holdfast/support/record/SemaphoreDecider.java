package io.holdfast.support.record;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Change;
import io.holdfast.spi.TenureId;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** The decisions about semaphores. Any number of tenures can hold permits, as long as there are enough. */
record SemaphoreDecider(Draft draft) implements NameDecider {

    private Holders holders() {
        return draft.holders();
    }

    private Places queue() {
        return draft.queue();
    }

    private OptionalInt limit() {
        return draft.record().limit();
    }

    private int free() {
        return draft.record().freePermits();
    }

    // ---- permits held

    @Override
    public Acquire.Reply acquire(Acquire request) {
        requireEnough(request.share().permits());
        if (!holders().include(request.tenure())) {
            serve(true);
        }
        return admits(request) ? grant(request) : refuse(request);
    }

    private void requireEnough(int wanted) {
        if (limit().isEmpty()) {
            throw Draft.refused(
                    "the semaphore " + quoted(draft.name()) + " has no permits yet: call trySetPermits first");
        }
        if (wanted > limit().getAsInt()) {
            throw Draft.refused("the semaphore " + quoted(draft.name()) + " has " + limit().getAsInt()
                    + " permits in all, and " + wanted + " were requested: request fewer, or add some with addPermits");
        }
    }

    /** Returns {@code true} if the request is granted now. The waiters ahead of it were served before. */
    private boolean admits(Acquire request) {
        long position = draft.positionOf(request);
        boolean barges =
                request.queueing() == Queueing.FAIR ? queue().isAnyBefore(position) : queue().isFairBefore(position);
        return holders().include(request.tenure())
                || (free() >= Math.max(1, request.share().permits()) && !barges);
    }

    private Acquire.Reply grant(Acquire request) {
        Holder holder = draft.grant(request, granted(request.share().permits(), free()));
        return new Acquire.Granted(
                holder.grant().tokens(), request.lease(), queue().size(), List.of(), holder.permits(), draft.clock());
    }

    private Acquire.Reply refuse(Acquire request) {
        if (request.queueing() != Queueing.NONE) {
            var unused = draft.enqueue(request);
        }
        return draft.refusal(request.tenure(), List.of(), holders().earliestExpiry());
    }

    /** Assigns free permits to the waiters in their order, until there are too few for the next one. */
    @Override
    public void serve(boolean yield) {
        List<Place> served = new ArrayList<>();
        int left = free();
        for (Place place : queue().all()) {
            if (Math.max(1, place.permits()) > left || served.size() >= draft.room()) {
                break;
            }
            Place next = place.withPermits(granted(place.permits(), left));
            left -= next.permits();
            served.add(next);
        }
        draft.assign(served).forEach(holder -> draft.notifyAssigned(holder, 0, 0));
    }

    /** Returns the number of permits to grant. A request for 0 permits is granted all free ones. */
    private static int granted(int wanted, int free) {
        return wanted == 0 ? free : wanted;
    }

    @Override
    public int waiters(TenureId holder) {
        return queue().size();
    }

    // ---- numbers of permits

    /** Applies a change. Returns {@code false} if the state of the semaphore does not allow it. */
    boolean apply(Change change) {
        return switch (change.kind()) {
            case TRY_PERMITS -> limit().isEmpty() && update(OptionalInt.of(change.amount()));
            case SET_PERMITS -> update(OptionalInt.of(change.amount()));
            case ADD_PERMITS -> update(OptionalInt.of(sum(change.amount())));
            case DELETE_PERMITS -> limit().isPresent() && !draft.record().isInUse() && update(OptionalInt.empty());
            default -> throw new IllegalArgumentException(change.kind() + " is not a change of a semaphore");
        };
    }

    private boolean update(OptionalInt limit) {
        draft.update(draft.record().withLimit(limit));
        return true;
    }

    private int sum(int amount) {
        requireEnough(0);
        long sum = (long) limit().getAsInt() + amount;
        if (sum < 1 || sum > Integer.MAX_VALUE) {
            throw Draft.refused("the semaphore " + quoted(draft.name()) + " has " + limit().getAsInt()
                    + " permits in all, which cannot become " + sum + ": 1 to " + Integer.MAX_VALUE + " are allowed");
        }
        return (int) sum;
    }
}
