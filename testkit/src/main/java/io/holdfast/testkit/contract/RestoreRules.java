package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Change.Kind;
import io.holdfast.spi.Release;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;

/**
 * The rules for data that go back to an earlier state while clients are connected: by the restore of a backup, or by a failover to
 * a replica that was behind.
 */
final class RestoreRules {

    /** The number of writes after the backup. */
    private static final int MANY = 20;

    private RestoreRules() {}

    static void addTo(Rules rules) {
        rules.add("a hold that is later than the restored data is lost", RestoreRules::laterHold)
                .add("a hold that is in the restored data stays", RestoreRules::earlierHold)
                .add("a hold that was released since the backup lasts for its lease", RestoreRules::releasedHold)
                .add("a waiter that is not in the restored data is notified, and served", RestoreRules::laterWaiter)
                .add("a waiter that is in the restored data is served", RestoreRules::earlierWaiter)
                .add("a listener of a restored latch is notified", RestoreRules::listener)
                .add("tokens rise, or continue from the restored data", RestoreRules::tokens);
    }

    private static void laterHold(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId before = holder.tenure();
        holder.granted(before);
        holder.release(before);
        Runnable restore = scene.backup();
        TenureId later = holder.tenure();
        holder.granted(later);
        restore.run();
        holder.lost(later);
        other.granted(other.tenure());
        assertFalse(holder.release(later).held());
    }

    private static void earlierHold(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId held = holder.tenure();
        holder.granted(held);
        Runnable restore = scene.backup();
        writeMany(holder, held);
        restore.run();
        holder.renewed(held, Scene.LONG);
        other.refused(other.tenure());
        assertTrue(holder.release(held).held());
    }

    private static void writeMany(TestClient holder, TenureId held) {
        for (int i = 0; i < MANY; i++) {
            holder.renewed(held, Scene.LONG);
        }
    }

    private static void releasedHold(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        TenureId held = holder.tenure();
        holder.granted(held, lease);
        Runnable restore = scene.backup();
        holder.release(held);
        restore.run();
        other.refused(other.tenure());
        scene.passLease(lease);
        other.granted(other.tenure());
    }

    private static void laterWaiter(Scene scene) {
        TestClient holder = scene.client();
        TestClient waiter = scene.client();
        TenureId held = holder.tenure();
        TenureId waits = waiter.tenure();
        holder.granted(held);
        Runnable restore = scene.backup();
        waiter.enqueued(waits);
        writeMany(holder, held);
        waiter.enqueued(waits);
        restore.run();
        if (waiter.capabilities().signals() == Capabilities.Signals.LOOKED) {
            waiter.signal(Signal.Gap.class);
        }
        waiter.enqueued(waits);
        isAssigned(holder, held, waiter, waits);
    }

    private static void isAssigned(TestClient holder, TenureId held, TestClient waiter, TenureId waits) {
        assertTrue(holder.handOver(held).held());
        assertEquals(waits, waiter.signal(Signal.Assigned.class).tenure());
    }

    private static void earlierWaiter(Scene scene) {
        TestClient holder = scene.client();
        TestClient waiter = scene.client();
        TenureId held = holder.tenure();
        TenureId waits = waiter.tenure();
        holder.granted(held);
        waiter.enqueued(waits);
        Runnable restore = scene.backup();
        writeMany(holder, held);
        waiter.enqueued(waits);
        restore.run();
        isAssigned(holder, held, waiter, waits);
    }

    private static void listener(Scene scene) {
        Counts one = Counts.of(scene);
        Counts listener = Counts.of(scene);
        one.changes(Kind.TRY_COUNT, MANY + 1);
        listener.latch(true);
        Runnable restore = scene.backup();
        for (int i = 0; i < MANY; i++) {
            one.changes(Kind.COUNT_DOWN, 1);
        }
        listener.latch(true);
        restore.run();
        one.changes(Kind.COUNT_DOWN, MANY + 1);
        assertEquals(
                scene.name(), listener.client().signal(Signal.Changed.class).name());
    }

    private static void tokens(Scene scene) {
        TestClient client = scene.client();
        TokenBlock restored = used(scene, client);
        Runnable restore = scene.backup();
        TokenBlock last = restored;
        for (int i = 0; i < MANY; i++) {
            last = used(scene, client);
        }
        restore.run();
        scene.pass(TokenRules.OUTAGE);
        TokenBlock before = scene.tokensFollowClock() ? last : restored;
        TokenBlock next = used(scene, client);
        assertTrue(next.first() > before.last(), () -> next + " is not above " + before);
    }

    private static TokenBlock used(Scene scene, TestClient client) {
        TenureId tenure = client.tenure();
        TokenBlock tokens = client.granted(tenure).tokens();
        client.release(Release.of(scene.name(), tenure).withLastToken(tokens.last()));
        return tokens;
    }
}
