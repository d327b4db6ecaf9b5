package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;

final class TokenRules {

    private static final int MANY = 500;
    private static final Duration SHORT_TENURE = Duration.ofNanos(2_000);

    /** Tokens may be ahead of the server's clock by 10 ms: so long an outage has to be for them to go on rising. */
    private static final Duration OUTAGE = Duration.ofMillis(20);

    private TokenRules() {}

    static void addTo(Rules rules) {
        rules.add("tokens rise from one holder to the next", TokenRules::overRelease)
                .add("tokens rise when a lease has ended", TokenRules::overExpiry)
                .add("tokens rise over a forced release", TokenRules::overForcedRelease)
                .add("tokens rise over a yield", Capabilities::queue, TokenRules::overYield)
                .add("tokens rise over further blocks for the holder", TokenRules::overRenewal)
                .add("tokens rise over large blocks", TokenRules::overLargeBlocks)
                .add("tokens handed back are above all that were used", TokenRules::handedBack)
                .add("tokens handed back by who does not hold are not taken", TokenRules::handedBackByOther)
                .add(
                        "tokens rise over the loss of all data, after many short tenures",
                        Capabilities::tokensSurviveDataLoss,
                        TokenRules::dataLossAfterShortTenures)
                .add(
                        "tokens rise over the loss of all data, after many large blocks",
                        Capabilities::tokensSurviveDataLoss,
                        TokenRules::dataLossAfterLargeBlocks)
                .add(
                        "after the loss of all data the old holder is lost, and others are granted",
                        Capabilities::tokensSurviveDataLoss,
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
            assertTrue(client.release(new Release(scene.name(), tenure, false, next.first()))
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
        first.release(new Release(scene.name(), tenure, true, before.last()));
        TokenBlock assigned = second.signal(Signal.Assigned.class).tokens();
        assertHigher(assigned, before);
        second.release(new Release(scene.name(), next, false, assigned.last()));
        assertHigher(first.granted(first.tenure()).tokens(), assigned);
    }

    private static void overRenewal(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId tenure = first.tenure();
        TokenBlock block = first.granted(tenure).tokens();
        for (int i = 0; i < 20; i++) {
            TokenBlock more = more(first, scene, tenure, 10);
            assertHigher(more, block);
            block = more;
        }
        assertTrue(first.release(tenure).held());
        assertHigher(second.granted(second.tenure()).tokens(), block);
    }

    private static TokenBlock more(TestClient holder, Scene scene, TenureId tenure, long tokens) {
        Renew.Reply reply = holder.renew(new Renew(scene.name(), tenure, Scene.LONG, tokens));
        return assertInstanceOf(Renew.Renewed.class, reply).tokens().orElseThrow();
    }

    private static void overLargeBlocks(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId tenure = first.tenure();
        Acquire large = TestClient.with(first.request(tenure), 10_000_000);
        TokenBlock block = first.granted(large).tokens();
        assertHigher(more(first, scene, tenure, 10_000_000), block);
        assertTrue(first.release(tenure).held());
        assertHigher(second.granted(second.tenure()).tokens(), block);
    }

    private static void handedBack(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId tenure = first.tenure();
        TokenBlock block =
                first.granted(TestClient.with(first.request(tenure), 5_000)).tokens();
        long used = (block.first() + block.last()) / 2;
        assertTrue(first.release(new Release(scene.name(), tenure, false, used)).held());
        assertHigher(second.granted(second.tenure()).tokens(), new TokenBlock(block.first(), used));
    }

    private static void handedBackByOther(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId tenure = first.tenure();
        TokenBlock early = first.granted(tenure).tokens();
        assertTrue(first.release(tenure).held());
        TenureId next = second.tenure();
        TokenBlock block = second.granted(next).tokens();
        first.release(new Release(scene.name(), tenure, false, early.first()));
        assertTrue(second.release(new Release(scene.name(), next, false, early.first()))
                .held());
        TokenBlock last = first.granted(first.tenure()).tokens();
        assertTrue(last.first() > early.last(), "above what others used");
        assertEquals(block.first() > early.last(), true);
    }

    private static void dataLossAfterShortTenures(Scene scene) {
        TestClient client = scene.client();
        TokenBlock used = new TokenBlock(1, 1);
        for (int i = 0; i < MANY; i++) {
            TenureId tenure = client.tenure();
            used = client.granted(tenure).tokens();
            client.release(new Release(scene.name(), tenure, false, used.last()));
            scene.pass(SHORT_TENURE);
        }
        assertHigherAfterDataLoss(scene, client, used);
    }

    private static void dataLossAfterLargeBlocks(Scene scene) {
        TestClient client = scene.client();
        TenureId tenure = client.tenure();
        TokenBlock used = client.granted(tenure).tokens();
        for (int i = 0; i < MANY; i++) {
            used = more(client, scene, tenure, 100_000);
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
        assertEquals(false, holder.release(tenure).held());
    }
}
