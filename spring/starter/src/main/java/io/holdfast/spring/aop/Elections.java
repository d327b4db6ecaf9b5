package io.holdfast.spring.aop;

import io.holdfast.HoldfastException;
import io.holdfast.LeaseLostException;
import io.holdfast.recipes.LeaderElection;
import io.holdfast.recipes.Leadership;
import io.holdfast.spring.LeadershipGained;
import io.holdfast.spring.LeadershipLost;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * The candidacies of one application: a thread for each election that a method names. It campaigns from the start of the
 * application, after all beans exist, until its stop, which is after the stop of schedulers and of the web server.
 */
public final class Elections implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger("io.holdfast.spring");
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration STOP = Duration.ofSeconds(5);

    private final Clients clients;
    private final ApplicationEventPublisher events;
    private final Map<ElectionId, Candidate> candidates = new ConcurrentHashMap<>();
    private volatile boolean running;

    /** Creates the candidacies of an application, of which there are none yet. */
    public Elections(Clients clients, ApplicationEventPublisher events) {
        this.clients = clients;
        this.events = events;
    }

    /** Makes this application a candidate, from its start on. */
    void add(ElectionId election) {
        var unused = candidates.computeIfAbsent(election, id -> {
            Candidate candidate = new Candidate(id);
            if (running) {
                candidate.start();
            }
            return candidate;
        });
    }

    /** Returns the leadership of this application, if it leads now. */
    Optional<Leadership> leadership(ElectionId election) {
        return Optional.ofNullable(candidates.get(election))
                .flatMap(candidate -> Optional.ofNullable(candidate.leadership))
                .filter(Leadership::isValid);
    }

    @Override
    public void start() {
        running = true;
        candidates.values().forEach(Candidate::start);
    }

    @Override
    public void stop() {
        running = false;
        candidates.values().forEach(Candidate::stop);
    }

    /** Schedulers and web servers have higher phases, so they start later and stop before. */
    @Override
    public int getPhase() {
        return 0;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** One candidacy. Its thread campaigns, waits for the end of the leadership, and campaigns again. */
    private final class Candidate implements Runnable {

        private final ElectionId id;
        private volatile @Nullable Leadership leadership;
        private volatile @Nullable Thread thread;

        Candidate(ElectionId id) {
            this.id = id;
        }

        void start() {
            Thread started = new Thread(this, "holdfast-election-" + id.name());
            started.setDaemon(true);
            thread = started;
            started.start();
        }

        void stop() {
            Thread running = thread;
            if (running == null) {
                return;
            }
            running.interrupt();
            try {
                running.join(STOP.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void run() {
            try {
                LeaderElection election = LeaderElection.of(clients.apply(id.client()), id.name());
                while (running) {
                    campaign(election);
                }
            } catch (InterruptedException e) {
                LOG.debug("the candidacy for '{}' ends with the application", id.name());
            }
        }

        /** Campaigns once. After a failure of the store, it pauses, and is a candidate again. */
        private void campaign(LeaderElection election) throws InterruptedException {
            try {
                lead(election.campaign());
            } catch (HoldfastException | IllegalStateException e) {
                LOG.warn("election '{}': {}", id.name(), e.getMessage());
                TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
            }
        }

        /** Leads until the leadership is lost or closed, or the application ends. */
        private void lead(Leadership won) throws InterruptedException {
            CountDownLatch ended = new CountDownLatch(1);
            AtomicBoolean lost = new AtomicBoolean();
            var unused = won.onEnd(end -> {
                lost.set(end instanceof Leadership.End.Lost);
                ended.countDown();
            });
            leadership = won;
            publish(new LeadershipGained(id.name(), won));
            try {
                ended.await();
            } finally {
                leadership = null;
                resign(won);
                publish(new LeadershipLost(id.name(), won.fencingToken(), !lost.get()));
            }
        }

        /** Closes the leadership. If it was lost, its end is known already. */
        private void resign(Leadership won) {
            try {
                won.close();
            } catch (LeaseLostException e) {
                LOG.debug("election '{}': {}", id.name(), e.getMessage());
            }
        }

        private void publish(Object event) {
            try {
                events.publishEvent(event);
            } catch (RuntimeException e) {
                LOG.error("a listener of {} failed", event, e);
            }
        }
    }
}
