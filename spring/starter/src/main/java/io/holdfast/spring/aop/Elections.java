package io.holdfast.spring.aop;

import io.holdfast.recipes.LeaderElection;
import io.holdfast.recipes.Leadership;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * The candidacies of one application, one for each election that a method names. They last from the start of the application,
 * after all beans exist, until its stop, which is after the stop of schedulers and of the web server.
 */
public final class Elections implements SmartLifecycle {

    /** Below the phases of schedulers and web servers, and above that of connections, which stop last. */
    private static final int PHASE = 1_000;

    private static final Duration STOP = Duration.ofSeconds(5);

    private final Clients clients;
    private final ApplicationEventPublisher events;
    private final Set<ElectionId> known = ConcurrentHashMap.newKeySet();
    private final Map<ElectionId, Candidacy> candidacies = new ConcurrentHashMap<>();
    private volatile boolean running;

    /** Creates the candidacies of an application, of which there are none yet. */
    public Elections(Clients clients, ApplicationEventPublisher events) {
        this.clients = clients;
        this.events = events;
    }

    /** Makes this application a candidate, from its start on. */
    void add(ElectionId election) {
        if (known.add(election) && running) {
            start(election);
        }
    }

    /** Returns the leadership of this application, if it leads now. */
    Optional<Leadership> leadership(ElectionId election) {
        return Optional.ofNullable(candidacies.get(election)).flatMap(Candidacy::leadership);
    }

    /**
     * Starts all candidacies.
     *
     * @throws RuntimeException if the client of one does not exist
     */
    @Override
    public void start() {
        known.forEach(this::start);
        running = true;
    }

    private void start(ElectionId id) {
        Candidacy candidacy = new Candidacy(LeaderElection.of(clients.apply(id.client()), id.name()), events);
        if (candidacies.putIfAbsent(id, candidacy) == null) {
            candidacy.start();
        }
    }

    /** Stops all candidacies, and waits for at most 5 s in all until they have resigned. */
    @Override
    public void stop() {
        running = false;
        candidacies.values().forEach(Candidacy::stop);
        long deadline = System.nanoTime() + STOP.toNanos();
        try {
            for (Candidacy candidacy : candidacies.values()) {
                candidacy.awaitEnd(Duration.ofNanos(deadline - System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        candidacies.clear();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
