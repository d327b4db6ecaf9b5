package io.holdfast.torture;

import io.holdfast.testkit.crowd.Crowd;
import io.holdfast.testkit.crowd.CrowdProcess;
import io.holdfast.testkit.faults.Wire;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Chooses faults from a seed, and injects them. All kinds occur in random order, then all of them again, and so on. */
final class Injector {

    private static final Duration PAUSE = Duration.ofMillis(1_200);
    private static final int MOST_REPLIES = 4;

    private final Random random;
    private final Duration lease;
    private final Optional<FaultyServer> server;
    private final Optional<Paths> paths;
    private final List<Fault> kinds;
    private final Deque<Fault> next = new ArrayDeque<>();
    private final Map<Fault, Integer> injected = new EnumMap<>(Fault.class);

    Injector(long seed, Duration lease, Optional<FaultyServer> server, Optional<Paths> paths) {
        random = new Random(seed);
        this.lease = lease;
        this.server = server;
        this.paths = paths;
        kinds = Arrays.stream(Fault.values())
                .filter(fault -> server.isPresent() || !fault.needsServer())
                .toList();
    }

    /** Lets a crowd work for a while, and then injects the next fault. */
    Fault injectNext(Crowd crowd) throws Exception {
        crowd.work(random(Duration.ZERO, PAUSE));
        if (next.isEmpty()) {
            List<Fault> round = new ArrayList<>(kinds);
            Collections.shuffle(round, random);
            next.addAll(round);
        }
        Fault fault = next.remove();
        injected.merge(fault, 1, Integer::sum);
        inject(fault, crowd);
        return fault;
    }

    /** Returns how often each kind was injected. */
    Map<Fault, Integer> injected() {
        return injected;
    }

    private void inject(Fault fault, Crowd crowd) throws Exception {
        List<CrowdProcess> living = crowd.living();
        if (living.isEmpty()) {
            throw new IllegalStateException("all worker processes have ended");
        }
        CrowdProcess victim = living.get(random.nextInt(living.size()));
        switch (fault) {
            case WORKER_KILLED -> {
                crowd.kill(victim);
                crowd.replaceKilled();
            }
            case WORKER_STOPPED -> victim.whileStopped(() -> crowd.work(aboutLease()));
            case WORKER_SUSPENDED -> victim.whileSuspended(() -> crowd.work(aboutLease()));
            case SERVER_KILLED -> restart(crowd, server.orElseThrow());
            case SERVER_STOPPED -> pause(crowd, server.orElseThrow());
            case CUT -> path(victim).cut();
            case DELAYED -> delay(crowd, path(victim));
            case REPLY_LOST -> loseReply(crowd, path(victim));
        }
    }

    private Wire path(CrowdProcess process) {
        return paths.orElseThrow().of(process);
    }

    private void restart(Crowd crowd, FaultyServer killed) throws Exception {
        killed.kill();
        crowd.work(random(Duration.ZERO, PAUSE));
        killed.restart();
    }

    private void pause(Crowd crowd, FaultyServer paused) {
        paused.pause();
        crowd.work(aboutLease());
        paused.resume();
    }

    private void delay(Crowd crowd, Wire path) {
        path.delayAnswers(lease.plus(random(Duration.ZERO, lease)));
        crowd.work(lease.multipliedBy(2));
        path.delayAnswers(Duration.ZERO);
    }

    private void loseReply(Crowd crowd, Wire path) {
        path.cutAfter(random.nextInt(MOST_REPLIES));
        crowd.work(PAUSE);
        path.mend();
    }

    /** Returns a time between a third of a lease and two and a third. */
    private Duration aboutLease() {
        return random(lease.dividedBy(3), lease.multipliedBy(7).dividedBy(3));
    }

    private Duration random(Duration from, Duration to) {
        return from.plusMillis(random.nextInt((int) to.minus(from).toMillis()));
    }
}
