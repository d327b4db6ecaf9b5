package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.TenureId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

final class AcquireRules {

    private static final int LONGEST_NAME = 512;

    /**
     * Ends of different names. A database that compares names as texts may ignore a trailing blank, the case, or the form of the
     * umlaut.
     */
    private static final List<String> ODD_SUFFIXES = List.of(
            "",
            " ",
            "  ",
            "a b ",
            "{",
            "}",
            "{}",
            "{}x",
            "{a}",
            "a{b}c",
            "{a",
            "x}y{z}",
            ":",
            "::1",
            "/",
            "\\",
            "*",
            "?",
            "[a]",
            "?[a-z]\\",
            "a^]",
            "'",
            "\"",
            "%",
            "%d%s",
            "%C3%A9",
            "+",
            "\n",
            "a\r\n$3\r\nb",
            "\0",
            "a",
            "A",
            "\u00e4",
            "a\u0308",
            "\u20ac",
            "\u043a\u043b\u044e\u0447",
            "\ud83d\udd12");

    /** Further names. The last ones have as many bytes as a name may have. */
    private static final List<String> ODD_NAMES = List.of(
            "\r\n",
            ".",
            "..",
            "a ",
            " a ",
            "a b",
            "a\nb",
            "a:1",
            "a{b",
            "a}b",
            "{tag}x",
            "x}y{z",
            "hf:x",
            "HF:{x}",
            " hf:{x}",
            "\"'",
            "\u0308",
            "\u043a\u043b\u044e\u0447-\ud83d\udd12",
            "x".repeat(LONGEST_NAME),
            "\u00fc".repeat(LONGEST_NAME / 2),
            "\ud83d\udd12".repeat(LONGEST_NAME / 4));

    private AcquireRules() {}

    static void addTo(Rules rules) {
        rules.add("a free name is granted", AcquireRules::free)
                .add("a held name is refused to another client", AcquireRules::held)
                .add("a held name is refused to another tenure of the same client", AcquireRules::ownOtherTenure)
                .add("exactly one of many concurrent requests is granted", AcquireRules::race)
                .add("a name is free again when its lease has ended", AcquireRules::expired)
                .add("a grant is valid for its lease, or for less", AcquireRules::valid)
                .add("a late request is answered as late, and acquires nothing", AcquireRules::late)
                .add(
                        "a late duplicate of the holder's request is answered as late, and does not extend the lease",
                        AcquireRules::lateCopy)
                .add("a second copy is granted again, with higher tokens", AcquireRules::secondCopy)
                .add("a duplicate extends the lease", AcquireRules::secondCopyExtends)
                .add("a second copy never shortens the lease", AcquireRules::secondCopyNeverShortens)
                .add("names are independent of each other", AcquireRules::otherName)
                .add("names with any characters are kept apart", AcquireRules::oddNames)
                .add("the longest name it allows is kept", AcquireRules::longName)
                .add("clients with different key prefixes do not meet", AcquireRules::prefixes)
                .add("replies carry a server time that does not go back", AcquireRules::serverTime);
    }

    private static void free(Scene scene) {
        TestClient client = scene.client();
        assertTrue(client.granted(client.tenure()).tokens().first() > 0);
    }

    private static void held(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        Acquire.Refused refused = other.refused(other.tenure());
        assertEquals(Optional.of(tenure.toString()), refused.holder());
        assertEquals(0, refused.arrival());
        assertTrue(refused.retryAfter().compareTo(Scene.LONG) <= 0, "not after the end of the lease");
        assertTrue(refused.retryAfter().compareTo(Scene.LONG.dividedBy(2)) > 0, "not long before the end");
    }

    private static void ownOtherTenure(Scene scene) {
        TestClient client = scene.client();
        client.granted(client.tenure());
        client.refused(client.tenure());
    }

    private static void race(Scene scene) {
        List<TestClient> clients = new ArrayList<>();
        List<Acquire> requests = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            TestClient client = scene.client();
            clients.add(client);
            requests.add(client.request(client.tenure()));
        }
        List<CompletionStage<Acquire.Reply>> replies = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            replies.add(clients.get(i).store().acquire(requests.get(i)));
        }
        long granted = replies.stream()
                .map(scene::await)
                .filter(Acquire.Granted.class::isInstance)
                .count();
        assertEquals(1, granted);
    }

    private static void expired(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        holder.granted(holder.tenure(), lease);
        TenureId next = other.tenure();
        other.refused(next);
        scene.passLease(lease);
        other.granted(next);
    }

    private static void valid(Scene scene) {
        TestClient client = scene.client();
        Duration lease = scene.shortLease(client.capabilities());
        requireWithin(lease, client.granted(client.tenure(), lease).valid());
    }

    /** Checks the validity that a store states for a lease. The engine counts its deadline from it. */
    static void requireWithin(Duration lease, Duration valid) {
        assertTrue(valid.compareTo(Duration.ZERO) > 0 && valid.compareTo(lease) <= 0, () -> valid + " of " + lease);
    }

    private static void late(Scene scene) {
        TestClient client = scene.client();
        long before = client.refusedAsLate(client.tenure(), 0).serverMicros();
        Acquire.Late late = client.refusedAsLate(client.tenure(), before - 1);
        assertTrue(late.serverMicros() > 0);
        assertEquals(Optional.empty(), client.inspect().holder());
        assertEquals(List.of(), client.inspect().waiters());
        TestClient other = scene.client();
        other.granted(other.tenure());
    }

    private static void lateCopy(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        TenureId tenure = holder.tenure();
        Acquire.Granted granted = holder.granted(tenure, lease);
        holder.refusedAsLate(tenure, granted.serverMicros() - 1);
        scene.passLease(lease);
        other.granted(other.tenure());
    }

    private static void secondCopy(Scene scene) {
        TestClient client = scene.client();
        Acquire request = client.request(client.tenure());
        Acquire.Granted first = client.granted(request);
        Acquire.Granted second = client.granted(request);
        assertTrue(second.tokens().first() > first.tokens().last(), () -> second.tokens() + " after " + first.tokens());
    }

    private static void secondCopyExtends(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        TenureId tenure = holder.tenure();
        holder.granted(tenure, lease);
        holder.granted(tenure, Scene.LONG);
        scene.passLease(lease);
        other.refused(other.tenure());
    }

    private static void secondCopyNeverShortens(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        TenureId tenure = holder.tenure();
        holder.granted(tenure, Scene.LONG);
        holder.granted(tenure, lease);
        scene.passLease(lease);
        other.refused(other.tenure());
    }

    private static void otherName(Scene scene) {
        TestClient client = scene.client();
        TestClient other = scene.client();
        client.granted(client.tenure());
        other.granted(other.request(other.tenure(), scene.name("-other")));
    }

    /** Returns odd texts as whole names. A store may take what nothing precedes for no name, or for a path. */
    static Stream<String> wholeOddNames() {
        return Stream.concat(ODD_SUFFIXES.stream().filter(suffix -> !suffix.isEmpty()), ODD_NAMES.stream());
    }

    private static void oddNames(Scene scene) {
        TestClient client = scene.client();
        TestClient other = scene.client();
        for (String suffix : ODD_SUFFIXES) {
            client.granted(client.request(client.tenure(), scene.name(suffix)));
            other.refused(other.request(other.tenure(), scene.name(suffix)));
        }
        client.granted(client.request(client.tenure(), "{" + scene.name()));
        client.granted(client.request(client.tenure(), "{}" + scene.name()));
    }

    private static void longName(Scene scene) {
        TestClient client = scene.client();
        TestClient other = scene.client();
        int length = scene.name().getBytes(StandardCharsets.UTF_8).length;
        String almost = scene.name("x".repeat(LONGEST_NAME - length - 1));
        client.granted(client.request(client.tenure(), almost + "1"));
        other.refused(other.request(other.tenure(), almost + "1"));
        other.granted(other.request(other.tenure(), almost + "2"));
    }

    private static void prefixes(Scene scene) {
        TestClient plain = scene.client();
        TestClient prefixed = scene.client("p" + scene.name() + ":");
        plain.granted(plain.tenure());
        prefixed.granted(prefixed.tenure());
        TestClient same = scene.client("p" + scene.name() + ":");
        same.refused(same.tenure());
    }

    private static void serverTime(Scene scene) {
        TestClient client = scene.client();
        TestClient other = scene.client();
        assertSame(client.store().clock(scene.name()), client.store().clock(scene.name()));
        TenureId tenure = client.tenure();
        long granted = client.granted(tenure).serverMicros();
        long refused = other.refused(other.tenure()).serverMicros();
        scene.pass(Duration.ofMillis(10));
        long renewed = client.renewed(tenure, Scene.LONG).serverMicros();
        long released = client.release(tenure).serverMicros();
        assertTrue(granted > 0 && refused >= granted && released >= renewed);
        assertTrue(renewed - refused >= 9_000, "the server's clock runs");
    }
}
