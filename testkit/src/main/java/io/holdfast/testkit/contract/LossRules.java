package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Release;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The rules of a release that is sent again because the effect of its first copy is unknown. */
final class LossRules {

    private static final int ROUNDS = 30;
    private static final int MOST_TOKENS = 5_000;
    private static final List<Share> SHARES = List.of(Share.LOCK, Share.READ, Share.WRITE, Share.permits(1));

    /** The first seed of the random rule, so that a failure can be repeated. */
    private static final String SEED = "holdfast.seed";

    private LossRules() {}

    static void addTo(Rules rules) {
        rules.add("a repeated release reports no loss if an earlier copy was applied", LossRules::applied)
                .add(
                        "a repeated release reports the loss of a hold that was taken away",
                        Capabilities::marksReleases,
                        LossRules::takenAway)
                .add(
                        "a repeated release reports the loss of a hold whose lease ended",
                        Capabilities::marksReleases,
                        LossRules::expired);
    }

    /** A hold of a client. */
    private record Held(TestClient client, TenureId tenure, Mode mode, TokenBlock tokens) {

        static Held by(TestClient client, Share share, long tokens, Duration lease) {
            TenureId tenure = client.tenure();
            Acquire request =
                    client.request(tenure).withShare(share).withTokens(tokens).withLease(lease);
            return new Held(
                    client, tenure, share.mode(), client.granted(request).tokens());
        }

        static Held by(TestClient client, Share share) {
            return by(client, share, 1, Scene.LONG);
        }

        /** Returns the release, which returns the tokens after the given one; 0 for none. */
        Release release(Scene scene, long lastToken) {
            return Release.of(scene.name(), tenure)
                    .withMode(mode)
                    .withLastToken(lastToken)
                    .withKeptToken(lastToken > 0 ? lastToken : tokens.last());
        }

        void end(Scene scene) {
            assertTrue(client.release(release(scene, 0)).held());
        }

        void isTaken(Scene scene) {
            if (mode == Mode.PERMITS) {
                assertTrue(scene.await(client.store().counters().revoke(scene.name(), tenure)));
            } else {
                assertTrue(
                        scene.await(client.store().forceRelease(scene.name())).isPresent());
            }
        }
    }

    private static void applied(Scene scene) {
        long seed = Long.getLong(SEED, scene.nanoTime());
        Random random = new Random(seed);
        TestClient first = Counts.with(scene, 2).client();
        TestClient second = scene.client();
        for (int round = 0; round < ROUNDS; round++) {
            Share share = SHARES.get(random.nextInt(SHARES.size()));
            List<Held> others = new ArrayList<>();
            boolean shares = share.mode() == Mode.READ || share.mode() == Mode.PERMITS;
            if (shares && random.nextBoolean()) {
                others.add(Held.by(second, share));
            }
            Held held = Held.by(first, share, 1 + random.nextInt(MOST_TOKENS), Scene.LONG);
            long used = held.tokens().first()
                    + random.nextInt((int) (held.tokens().last() - held.tokens().first() + 1));
            Release release =
                    held.release(scene, random.nextBoolean() ? used : 0).withYield(random.nextBoolean());
            assertTrue(first.release(release).held());
            for (int i = random.nextInt(4); i > 0; i--) {
                change(scene, random, others, second, share);
                Release.Reply again = first.release(release);
                String what = share + " in round " + round + " from seed " + seed + ": " + again;
                assertFalse(again.held(), what);
                assertFalse(again.lost(), what);
            }
            others.forEach(other -> other.end(scene));
        }
    }

    private static void change(Scene scene, Random random, List<Held> others, TestClient client, Share share) {
        if (others.isEmpty()) {
            others.add(Held.by(client, share, 1 + random.nextInt(MOST_TOKENS), Scene.LONG));
        } else if (random.nextBoolean()) {
            others.remove(0).end(scene);
        } else {
            others.remove(0).isTaken(scene);
        }
    }

    private static void takenAway(Scene scene) {
        TestClient first = Counts.with(scene, 2).client();
        TestClient second = scene.client();
        for (Share share : SHARES) {
            Held held = Held.by(first, share);
            held.isTaken(scene);
            assertLost(scene, held);
            Held next = Held.by(second, share);
            assertLost(scene, held);
            next.end(scene);
        }
    }

    private static void expired(Scene scene) {
        TestClient first = Counts.with(scene, 2).client();
        TestClient second = scene.client();
        for (Share share : SHARES) {
            Duration lease = scene.shortLease(first.capabilities());
            Held held = Held.by(first, share, 1, lease);
            scene.passLease(lease);
            Held next = Held.by(second, share);
            assertLost(scene, held);
            next.end(scene);
        }
    }

    private static void assertLost(Scene scene, Held held) {
        Release.Reply reply = held.client().release(held.release(scene, 0));
        assertFalse(reply.held(), () -> held + ": " + reply);
        assertTrue(reply.lost(), () -> held + ": " + reply);
    }
}
