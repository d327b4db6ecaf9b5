package io.holdfast.spring.guide;

import io.holdfast.spring.FencingToken;
import io.holdfast.spring.LeaderOnly;
import io.holdfast.spring.LeadershipGained;
import io.holdfast.spring.LeadershipLost;
import io.holdfast.spring.RunOnce;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** The jobs of the documentation. */
@Component
class Jobs {

    private final List<String> log = new CopyOnWriteArrayList<>();

    List<String> log() {
        return log;
    }

    // region run-once
    @Scheduled(cron = "0 0 2 * * *")
    @RunOnce(name = "nightly-report", every = "1h")
    public void report() {
        log.add("report");
    }
    // endregion

    // region leader-only
    @Scheduled(fixedDelay = 1_000)
    @LeaderOnly("outbox")
    public void sendOutbox(@FencingToken long token) {
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
