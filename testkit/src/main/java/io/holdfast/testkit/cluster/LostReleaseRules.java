package io.holdfast.testkit.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.faults.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client whose connection is cut while it releases a lock, at a store that marks releases. Each answer is lost once. */
public abstract class LostReleaseRules {

    /** The connection is cut before the release, which never arrives. */
    private static final int NONE_SENT = -1;

    /** More than the server answers while a lock is released. */
    private static final int MANY = 60;

    /** A release is repeated within it. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Wire wire;
    private final Holdfast owner;
    private final Holdfast other;

    /**
     * Connects two clients.
     *
     * @param port the port of the server
     * @param uri returns the URI of the store for a port that leads to the server
     */
    protected LostReleaseRules(int port, IntFunction<String> uri) {
        wire = new Wire(port);
        owner = Holdfast.builder()
                .uri(uri.apply(wire.port()))
                .commandTimeout(PATIENCE)
                .build();
        other = Holdfast.connect(uri.apply(port));
    }

    /** Deletes the records of a name at the store. */
    protected abstract void forget(String name);

    /** An attempt to acquire something, which may be repeated. */
    protected interface Attempt {

        /** Returns what was acquired; empty if it is not free. */
        Optional<? extends Lease> by(Holdfast client, String name);
    }

    @AfterEach
    void close() {
        owner.close();
        other.close();
        wire.close();
    }

    @Test
    void reportsThatALockWasLost() {
        reportsALoss(LostReleaseRules::lock);
    }

    @Tag("ci")
    @Test
    void reportsThatAFairLockWasLost() {
        reportsALoss(LostReleaseRules::fairLock);
    }

    @Test
    void reportsNoLossOfALockThatWasReleased() {
        reportsNoLoss(LostReleaseRules::lock, LostReleaseRules::lock);
    }

    @Tag("ci")
    @Test
    void reportsNoLossOfAFairLockThatWasReleased() {
        reportsNoLoss(LostReleaseRules::fairLock, LostReleaseRules::fairLock);
    }

    private static Optional<Lease> lock(Holdfast client, String name) {
        return client.lock(name).tryAcquire();
    }

    private static Optional<Lease> fairLock(Holdfast client, String name) {
        return client.fairLock(name).tryAcquire();
    }

    /** Checks that the loss of a hold is reported at its release. Another client has acquired the same before that. */
    protected final void reportsALoss(Attempt attempt) {
        loseEachAnswer("lost", name -> {
            Lease lease = acquired(attempt, owner, name);
            forget(name);
            Lease next = acquired(attempt, other, name);
            return () -> {
                assertThrows(LeaseLostException.class, lease::close, name);
                next.close();
            };
        });
    }

    /**
     * Checks that no loss is reported of a hold that was released.
     *
     * @param next what another client can acquire only after the release
     */
    protected final void reportsNoLoss(Attempt attempt, Attempt next) {
        loseEachAnswer("released", name -> {
            Lease lease = acquired(attempt, owner, name);
            return () -> {
                lease.close();
                acquired(next, other, name).close();
            };
        });
        assertEquals(0, owner.stats().lost(), "lost holds");
    }

    /** A step of a test, which ends when the connection is not cut any more. */
    private interface Step {

        /** Acquires the name. Returns an action that releases it. */
        Runnable begin(String name);
    }

    private void loseEachAnswer(String what, Step step) {
        int answers = NONE_SENT;
        boolean cut = true;
        for (int attempt = 0; cut; attempt++) {
            assertTrue(attempt < MANY, "the release has ended");
            Runnable release = step.begin(what + attempt);
            long failures = owner.stats().storeFailures();
            cut = cutDuring(release, answers);
            // otherwise, the answer to something else was lost, for example to a connection that a pool has opened
            if (owner.stats().storeFailures() > failures) {
                answers++;
            }
        }
        assertTrue(answers > 0, "an answer to a release was lost");
    }

    /** Returns {@code true} if the connection was cut. */
    private boolean cutDuring(Runnable release, int answers) {
        if (answers == NONE_SENT) {
            wire.cut();
        } else {
            wire.cutAfter(answers);
        }
        release.run();
        return wire.mend() || answers == NONE_SENT;
    }

    /** Returns what a client acquires, though its connections were cut. */
    private static Lease acquired(Attempt attempt, Holdfast client, String name) {
        List<Lease> leases = new ArrayList<>();
        Await.until("it is acquired", () -> {
            try {
                attempt.by(client, name).ifPresent(leases::add);
            } catch (HoldfastException e) {
                // a connection was cut
            }
            return !leases.isEmpty();
        });
        return leases.get(0);
    }
}
