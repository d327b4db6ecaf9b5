package io.holdfast.spring.guide;

import io.holdfast.spring.FencingToken;
import io.holdfast.spring.LeaderOnly;
import io.holdfast.spring.LeadershipGained;
import io.holdfast.spring.LeadershipLost;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** The work of the leader in the documentation. */
@Component
class Outbox {

    private final List<String> log = new CopyOnWriteArrayList<>();

    List<String> log() {
        return log;
    }

    // region leader-only
    @LeaderOnly("outbox")
    public void send(@FencingToken long token) {
        log.add("sent with token " + token);
    }

    @EventListener
    void on(LeadershipGained gained) {
        log.add("leads " + gained.election());
    }

    @EventListener
    void on(LeadershipLost lost) {
        log.add("no longer leads " + lost.election());
    }
    // endregion
}
