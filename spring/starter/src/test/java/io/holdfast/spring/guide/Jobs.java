package io.holdfast.spring.guide;

import io.holdfast.spring.RunOnce;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** The jobs of the documentation. */
@Component
class Jobs {

    private final List<String> log = new CopyOnWriteArrayList<>();
    private final Outbox outbox;

    Jobs(Outbox outbox) {
        this.outbox = outbox;
    }

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

    // region scheduled-leader
    @Scheduled(fixedDelay = 1_000)
    public void sendOutbox() {
        outbox.send(0);
    }
    // endregion
}
