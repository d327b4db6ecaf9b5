package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.Optional;

final class TokenRules {

    private static final int MANY = 500;
    private static final Duration SHORT_TENURE = Duration.ofNanos(2_000);

    /**
     * The minimum duration of an outage after which tokens still rise, because tokens may be ahead of the server's clock by
     * 10 ms.
     */
    static final Duration OUTAGE = Duration.ofMillis(20);

    private TokenRules() {}

    static void addTo(Rules rules) {
        rules.add("tokens rise from one holder to the next", TokenRules::overRelease)
                .add("tokens rise when a lease has ended", TokenRules::overExpiry)
                .add("tokens rise over a forced release", TokenRules::overForcedRelease)
                .add("tokens rise over a yield", TokenRules::overYield)
                .add("tokens rise over further blocks for the holder", TokenRules::overRenewal)
                .add("tokens rise over large blocks", TokenRules::overLargeBlocks)
                .add("returned tokens are above all used ones", TokenRules::handedBack)
                .add("a late duplicate of a release returns no tokens", TokenRules::handedBackLate)
                .add(
                        "tokens rise over the loss of all data, after many short tenures",
                        TokenRules::dataLossAfterShortTenures)
                .add(
                        "tokens rise over the loss of all data, after many large blocks",
                        TokenRules::dataLossAfterLargeBlocks)
                .add(
                        "after the loss of all data the old holder is lost, and others are granted",
                        TokenRules::dataLossFrees);
    }

    private static void assertHigher(TokenBlock next, TokenBlock before) {
        assertTrue(next.first() > before.last(), () -> next + " is not above " + before);
    }

    private static void overRelease(Scene scene) {
        TestClient[] clients = {scene.client(), scene.client()};
        TokenBlock before = new TokenBlock(1, 1);
        for (int i = 0; i < 20; i++) {
            TestClient client = clients[i % 2];
            TenureId tenure = client.tenure();
            TokenBlock next = client.granted(tenure).tokens();
            assertHigher(next, before);
            assertTrue(client.release(Release.of(scene.name(), tenure).withLastToken(next.first()))
                    .held());
            before = new TokenBlock(next.first(), next.first());
        }
    }

    private static void overExpiry(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        Duration lease = scene.shortLease(first.capabilities());
        TokenBlock before = first.granted(first.tenure(), lease).tokens();
        scene.passLease(lease);
        assertHigher(second.granted(second.tenure()).tokens(), before);
    }

    private static void overForcedRelease(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TokenBlock before = first.granted(first.tenure()).tokens();
        assertTrue(scene.await(second.store().forceRelease(scene.name())).isPresent());
        assertHigher(second.granted(second.tenure()).tokens(), before);
    }

    private static void overYield(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId tenure = first.tenure();
        TokenBlock before = first.granted(tenure).tokens();
        TenureId next = second.tenure();
        second.enqueued(next);
        first.release(Release.of(scene.name(), tenure).withYield(true).withLastToken(before.last()));
        TokenBlock assigned = second.signal(Signal.Assigned.class).tokens();
        assertHigher(assigned, before);
        second.release(Release.of(scene.name(), next).withLastToken(assigned.last()));
        assertHigher(first.granted(first.tenure()).tokens(), assigned);
    }

    private static void overRenewal(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId tenure = first.tenure();
        TokenBlock block = first.granted(tenure).tokens();
        for (int i = 0; i < 20; i++) {
            block = more(first, scene, tenure, block, 10);
        }
        assertTrue(first.release(tenure).held());
        assertHigher(second.granted(second.tenure()).tokens(), block);
    }

    /** Returns the highest block of the holder after it asked for more. A store may issue no more. */
    private static TokenBlock more(TestClient holder, Scene scene, TenureId tenure, TokenBlock before, long tokens) {
        Renew.Reply reply = holder.renew(new Renew(scene.name(), tenure, Scene.LONG, tokens));
        Optional<TokenBlock> more = assertInstanceOf(Renew.Renewed.class, reply).tokens();
        more.ifPresent(block -> assertHigher(block, before));
        return more.orElse(before);
    }

    private static void overLargeBlocks(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId tenure = first.tenure();
        Acquire large = first.request(tenure).withTokens(10_000_000);
        TokenBlock block = first.granted(large).tokens();
        block = more(first, scene, tenure, block, 10_000_000);
        assertTrue(first.release(tenure).held());
        assertHigher(second.granted(second.tenure()).tokens(), block);
    }

    private static void handedBack(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId tenure = first.tenure();
        TokenBlock block =
                first.granted(first.request(tenure).withTokens(5_000)).tokens();
        long used = (block.first() + block.last()) / 2;
        assertTrue(first.release(Release.of(scene.name(), tenure).withLastToken(used))
                .held());
        assertHigher(second.granted(second.tenure()).tokens(), new TokenBlock(block.first(), used));
    }

    private static void handedBackLate(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId early = first.tenure();
        TenureId next = second.tenure();
        long token = first.granted(early).tokens().first();
        Release release = Release.of(scene.name(), early).withLastToken(token);
        assertTrue(first.release(release).held());
        TokenBlock used = second.granted(next).tokens();
        assertFalse(first.release(release).held());
        TokenBlock more = more(second, scene, next, used, 1);
        assertTrue(second.release(next).held());
        assertFalse(first.release(release).held());
        assertHigher(first.granted(first.tenure()).tokens(), more);
    }

    private static void dataLossAfterShortTenures(Scene scene) {
        TestClient client = scene.client();
        TokenBlock used = new TokenBlock(1, 1);
        for (int i = 0; i < MANY; i++) {
            TenureId tenure = client.tenure();
            used = client.granted(tenure).tokens();
            client.release(Release.of(scene.name(), tenure).withLastToken(used.last()));
            scene.pass(SHORT_TENURE);
        }
        assertHigherAfterDataLoss(scene, client, used);
    }

    private static void dataLossAfterLargeBlocks(Scene scene) {
        TestClient client = scene.client();
        TenureId tenure = client.tenure();
        TokenBlock used = client.granted(tenure).tokens();
        for (int i = 0; i < MANY; i++) {
            used = more(client, scene, tenure, used, 100_000);
            scene.pass(SHORT_TENURE);
        }
        assertHigherAfterDataLoss(scene, client, used);
    }

    private static void assertHigherAfterDataLoss(Scene scene, TestClient client, TokenBlock used) {
        scene.wipe();
        scene.pass(OUTAGE);
        assertHigher(client.granted(client.tenure()).tokens(), used);
    }

    private static void dataLossFrees(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId tenure = holder.tenure();
        TokenBlock used = holder.granted(tenure).tokens();
        scene.wipe();
        holder.lost(tenure);
        scene.pass(OUTAGE);
        assertHigher(other.granted(other.tenure()).tokens(), used);
        assertFalse(holder.release(tenure).held());
    }
}
