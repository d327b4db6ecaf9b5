package io.holdfast.support.store;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.TenureId;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.Place;
import java.util.Optional;

/**
 * The update of a request to hold a name. A refusal is written only for the positions in the queue that it adds, so it is true
 * without them, too.
 */
final class AcquireUpdate implements RecordUpdate<Acquire.Reply> {

    private final Decider decider;
    private final Acquire request;

    AcquireUpdate(Decider decider, Acquire request) {
        this.decider = decider;
        this.request = request;
    }

    @Override
    public Decision<Acquire.Reply> decide(LockRecord before, Moment moment) {
        return decider.acquire(before, request, moment);
    }

    @Override
    public long notAfter() {
        return request.notAfter();
    }

    @Override
    public boolean yields() {
        return true;
    }

    @Override
    public boolean isAnsweredUnwritten() {
        return true;
    }

    @Override
    public Optional<Acquire.Reply> unwritten(LockRecord before, Acquire.Reply reply) {
        return reply instanceof Acquire.Refused refused
                ? Optional.of(refused.withPositions(
                        position(before, request.tenure()),
                        request.behind().stream()
                                .map(place -> position(before, place.tenure()))
                                .toList()))
                : Optional.empty();
    }

    private static long position(LockRecord before, TenureId tenure) {
        return before.queue().of(tenure).map(Place::arrival).orElse(0L);
    }
}
