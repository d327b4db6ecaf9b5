package io.holdfast.support.store;

import io.holdfast.spi.Release;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;

/** The update of a release. One of a hold cannot wait, because others wait for it; the withdrawal of a position can. */
final class ReleaseUpdate implements RecordUpdate<Release.Reply> {

    private final Decider decider;
    private final Release request;
    private volatile boolean holds = true;

    ReleaseUpdate(Decider decider, Release request) {
        this.decider = decider;
        this.request = request;
    }

    @Override
    public Decision<Release.Reply> decide(LockRecord before, Moment moment) {
        holds = before.holders().of(request.tenure()).isPresent();
        return decider.release(before, request, moment);
    }

    @Override
    public boolean yields() {
        return !holds;
    }
}
