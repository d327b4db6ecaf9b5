package io.holdfast.spring.aop;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.HoldfastException;
import io.holdfast.LeaseLostException;
import io.holdfast.recipes.LeaderElection;
import io.holdfast.recipes.Leadership;
import io.holdfast.spring.LeadershipGained;
import io.holdfast.spring.LeadershipLost;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * The candidacy of one application in one election, from {@link #start} to {@link #stop}. Its thread campaigns, leads until the
 * leadership has ended, and campaigns again. Neither a failure of the store nor one of a listener ends the thread.
 */
final class Candidacy {

    private static final Logger LOG = LoggerFactory.getLogger("io.holdfast.spring");
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final LeaderElection election;
    private final ApplicationEventPublisher events;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile @Nullable Leadership leadership;

    Candidacy(LeaderElection election, ApplicationEventPublisher events) {
        this.election = election;
        this.events = events;
        this.thread = new Thread(null, this::run, "holdfast-election-" + election.name(), 0, false);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Lets the thread end, without waiting for it. */
    void stop() {
        stopped = true;
        thread.interrupt();
    }

    /** Waits until the thread has ended, for at most the given time. */
    void awaitEnd(Duration most) throws InterruptedException {
        thread.join(Math.max(1, most.toMillis()));
    }

    /** Returns the leadership, if it is valid now. */
    Optional<Leadership> leadership() {
        return Optional.ofNullable(leadership).filter(Leadership::isValid);
    }

    private void run() {
        try {
            while (!stopped) {
                campaign();
            }
        } catch (InterruptedException e) {
            LOG.debug("the candidacy for {} ends with the application", quoted(election.name()));
        }
    }

    /** Campaigns once. After a failure, it pauses, and is a candidate again. */
    private void campaign() throws InterruptedException {
        try {
            lead(election.campaign());
        } catch (HoldfastException | IllegalStateException e) {
            LOG.warn("election {}: {}", quoted(election.name()), e.getMessage());
            TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
        }
    }

    /** Leads until the leadership is lost or closed, or the candidacy is stopped. */
    private void lead(Leadership won) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        AtomicBoolean lost = new AtomicBoolean();
        var unused = won.onEnd(end -> {
            lost.set(end instanceof Leadership.End.Lost);
            ended.countDown();
        });
        try {
            leadership = won;
            publish(new LeadershipGained(election.name(), won));
            ended.await();
        } finally {
            leadership = null;
            resign(won);
            publish(new LeadershipLost(election.name(), won.fencingToken(), !lost.get()));
        }
    }

    /** Closes the leadership. If it was lost, or the client was closed before, its end is known already. */
    private void resign(Leadership won) {
        try {
            won.close();
        } catch (LeaseLostException | IllegalStateException e) {
            LOG.debug("election {}: {}", quoted(election.name()), e.getMessage());
        }
    }

    private void publish(Object event) {
        try {
            events.publishEvent(event);
        } catch (Throwable e) {
            LOG.error("a listener of {} failed", event, e);
        }
    }
}
