package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.List;

final class FloorRules {

    /** A minute ahead of the server's clock. */
    private static final long AHEAD = Duration.ofMinutes(1).toMillis() * 1_000 * 1_024;

    private FloorRules() {}

    static void addTo(Rules rules) {
        rules.add("after a renewal with a floor later tokens are above it", FloorRules::laterTokens)
                .add("tokens requested together with a floor are above it", FloorRules::tokensAlong)
                .add("a second copy of a floor changes nothing for the hold", FloorRules::secondCopy)
                .add("a floor below the last token changes nothing", FloorRules::below)
                .add("a floor survives expiry and many short tenures", FloorRules::stays)
                .add("a tenure that does not hold the name sets no floor", FloorRules::ofAnother)
                .add("each floor of a batch is for its own name", FloorRules::batch);
    }

    private static Renew.Renewed raised(Scene scene, TestClient holder, TenureId tenure, long tokens, long floor) {
        Renew request = new Renew(scene.name(), tenure, Scene.LONG, tokens).withFloor(floor);
        return assertInstanceOf(Renew.Renewed.class, holder.renew(request));
    }

    private static void assertAbove(TokenBlock tokens, long floor) {
        assertTrue(tokens.first() > floor, () -> tokens + " is not above " + floor);
    }

    private static void laterTokens(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId tenure = holder.tenure();
        long floor = holder.granted(tenure).tokens().last() + AHEAD;
        assertTrue(raised(scene, holder, tenure, 0, floor).tokens().isEmpty());
        assertAbove(holder.granted(tenure).tokens(), floor);
        assertTrue(holder.release(tenure).held());
        assertAbove(other.granted(other.tenure()).tokens(), floor);
    }

    private static void tokensAlong(Scene scene) {
        TestClient holder = scene.client();
        TenureId tenure = holder.tenure();
        long floor = holder.granted(tenure).tokens().last() + AHEAD;
        raised(scene, holder, tenure, 5_000, floor).tokens().ifPresent(more -> assertAbove(more, floor));
        assertAbove(holder.granted(tenure).tokens(), floor);
    }

    private static void secondCopy(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId tenure = holder.tenure();
        long floor = holder.granted(tenure).tokens().last() + AHEAD;
        assertTrue(raised(scene, holder, tenure, 0, floor).serverMicros() > 0);
        assertTrue(raised(scene, holder, tenure, 0, floor).serverMicros() > 0);
        other.refused(other.tenure());
        assertTrue(holder.release(tenure).held());
        TokenBlock next = other.granted(other.tenure()).tokens();
        assertAbove(next, floor);
        assertTrue(next.first() <= floor + 2 * 1_024, () -> next + " is far above " + floor);
    }

    private static void below(Scene scene) {
        TestClient holder = scene.client();
        TenureId tenure = holder.tenure();
        TokenBlock before = holder.granted(tenure).tokens();
        raised(scene, holder, tenure, 0, before.last() + AHEAD);
        raised(scene, holder, tenure, 0, before.first());
        assertAbove(holder.granted(tenure).tokens(), before.last() + AHEAD);
    }

    private static void stays(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        TenureId tenure = holder.tenure();
        long floor = holder.granted(tenure, lease).tokens().last() + AHEAD;
        holder.renew(new Renew(scene.name(), tenure, lease, 0).withFloor(floor));
        scene.passLease(lease);
        for (int i = 0; i < 10; i++) {
            TenureId next = other.tenure();
            TokenBlock tokens = other.granted(next).tokens();
            assertAbove(tokens, floor);
            floor = tokens.first();
            other.release(Release.of(scene.name(), next).withLastToken(floor));
        }
    }

    private static void ofAnother(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId tenure = holder.tenure();
        long floor = holder.granted(tenure).tokens().last() + AHEAD;
        Renew stranger = new Renew(scene.name(), other.tenure(), Scene.LONG, 0).withFloor(floor);
        assertInstanceOf(Renew.Lost.class, other.renew(stranger));
        assertTrue(holder.granted(tenure).tokens().first() < floor);
    }

    private static void batch(Scene scene) {
        TestClient client = scene.client();
        TenureId first = client.tenure();
        TenureId second = client.tenure();
        long floor =
                client.granted(client.request(first, scene.name("1"))).tokens().last() + AHEAD;
        client.granted(client.request(second, scene.name("2")));
        List<Renew.Reply> replies = scene.await(client.store()
                .renew(List.of(
                        new Renew(scene.name("1"), first, Scene.LONG, 0).withFloor(floor),
                        new Renew(scene.name("2"), second, Scene.LONG, 0))));
        assertEquals(2, replies.size());
        replies.forEach(reply -> assertInstanceOf(Renew.Renewed.class, reply));
        assertAbove(client.granted(client.request(first, scene.name("1"))).tokens(), floor);
        assertTrue(
                client.granted(client.request(second, scene.name("2"))).tokens().first() < floor);
    }
}
