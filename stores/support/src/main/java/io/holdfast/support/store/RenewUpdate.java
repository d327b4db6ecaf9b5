package io.holdfast.support.store;

import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.Holder;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.Notice;
import java.util.ArrayList;
import java.util.List;

/** The update of renewals of one name. It is urgent if one of them claims an assigned name, whose first lease is short. */
final class RenewUpdate implements RecordUpdate<List<Renew.Reply>> {

    private final Decider decider;
    private final List<Renew> requests;
    private volatile boolean claims;

    RenewUpdate(Decider decider, List<Renew> requests) {
        this.decider = decider;
        this.requests = requests;
    }

    @Override
    public Decision<List<Renew.Reply>> decide(LockRecord before, Moment moment) {
        claims = requests.stream().anyMatch(request -> isClaim(before, request));
        LockRecord record = before;
        List<Renew.Reply> replies = new ArrayList<>();
        List<Notice> notices = new ArrayList<>();
        for (Renew request : requests) {
            try {
                Decision<Renew.Reply> decision = decider.renew(record, request, moment);
                record = decision.record();
                replies.add(decision.reply());
                notices.addAll(decision.notices());
            } catch (StoreException e) {
                replies.add(new Renew.Failed(e));
            }
        }
        return new Decision<>(record, replies, notices);
    }

    private static boolean isClaim(LockRecord record, Renew request) {
        return record.holders().of(request.tenure()).filter(Holder::unclaimed).isPresent();
    }

    @Override
    public boolean isUrgent() {
        return claims;
    }
}
