package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The rules of batch requests, for the names "1", "2" and "3", which can be acquired together. */
final class TogetherRules {

    private static final List<String> NAMES = List.of("1", "2", "3");

    private final Scene scene;
    private final TestClient client;
    private final TestClient other;

    private TogetherRules(Scene scene) {
        this.scene = scene;
        client = scene.client();
        other = scene.client();
    }

    /** A rule with two clients. */
    private interface Check {

        void run(TogetherRules rules);
    }

    static void addTo(Rules rules) {
        add(rules, "several free names are granted in one batch", TogetherRules::free);
        add(rules, "the relation of names in one batch is transitive", TogetherRules::partsOfOne);
        add(rules, "if one name is held, none is acquired, and the reply names its holder", TogetherRules::oneHeld);
        add(rules, "a refused batch writes nothing", TogetherRules::nothingLeft);
        add(rules, "of many concurrent batches each name is granted to one", TogetherRules::race);
        add(rules, "a late batch is late as a whole, and acquires none", TogetherRules::late);
        add(rules, "a second copy for several names is granted again, with higher tokens", TogetherRules::secondCopy);
        add(rules, "a second copy for several names never shortens a lease", TogetherRules::neverShortens);
        add(
                rules,
                "names that the tenures already hold are granted together with free ones",
                TogetherRules::partlyHeld);
        add(rules, "tokens of names that are taken together rise above earlier ones", TogetherRules::tokens);
        add(rules, "names that are taken together have each their own lease", TogetherRules::leases);
        add(rules, "a name with a waiting fair position is not acquired in a batch", TogetherRules::fair);
        add(
                rules,
                "a name with a barging waiter is acquired in a batch, and the waiter is counted",
                TogetherRules::waiters);
        add(
                rules,
                "a name that is held as a read/write lock fails the whole batch, and the error names it",
                TogetherRules::otherKind);
        add(rules, "a late batch is late, whatever the mode of its names", TogetherRules::lateOfOtherKind);
    }

    private static void add(Rules rules, String name, Check check) {
        addTo(rules, name, any -> true, check);
    }

    private static void addTo(Rules rules, String name, Predicate<LockStore> kind, Check check) {
        rules.addFor(
                name,
                store -> store.together().isPresent() && kind.test(store),
                scene -> check.run(new TogetherRules(scene)));
    }

    // ---- requests

    private String name(String suffix) {
        return scene.beside(suffix);
    }

    private static List<Acquire> requests(TestClient client, Scene scene) {
        return NAMES.stream()
                .map(suffix -> client.request(client.tenure(), scene.beside(suffix)))
                .toList();
    }

    private List<Acquire> requests() {
        return requests(client, scene);
    }

    private static List<Acquire> each(List<Acquire> all, UnaryOperator<Acquire> change) {
        return all.stream().map(change).toList();
    }

    private CompletionStage<List<Acquire.Reply>> asking(TestClient who, List<Acquire> all) {
        return who.store().together().orElseThrow().acquire(all);
    }

    private <R extends Acquire.Reply> List<R> ask(List<Acquire> all, Class<R> expected) {
        List<Acquire.Reply> replies = scene.await(asking(client, all));
        assertEquals(all.size(), replies.size());
        return replies.stream().map(reply -> assertInstanceOf(expected, reply)).toList();
    }

    private List<Acquire.Granted> granted(List<Acquire> all) {
        return ask(all, Acquire.Granted.class);
    }

    private List<Acquire.Refused> refused(List<Acquire> all) {
        return ask(all, Acquire.Refused.class);
    }

    private TenureId takenByOther(String suffix) {
        TenureId tenure = other.tenure();
        other.granted(other.request(tenure, name(suffix)));
        return tenure;
    }

    private void areFree(String... suffixes) {
        Stream.of(suffixes).forEach(this::takenByOther);
    }

    private void areHeld() {
        NAMES.forEach(suffix -> other.refused(other.request(other.tenure(), name(suffix))));
    }

    private LockReport inspect(String suffix) {
        return scene.await(client.store().inspect(name(suffix)));
    }

    // ---- the rules

    private void free() {
        List<Acquire> all = requests();
        for (Acquire.Granted granted : granted(all)) {
            assertEquals(0, granted.foreignWaiters());
            assertEquals(List.of(), granted.behind());
        }
        areHeld();
        for (Acquire request : all) {
            assertTrue(
                    client.release(Release.of(request.name(), request.tenure())).held());
        }
        areFree("1", "2", "3");
    }

    private void partsOfOne() {
        var store = client.store().together().orElseThrow();
        assertTrue(store.together(name("1"), name("1")));
        assertEquals(store.together(name("1"), name("2")), store.together(name("2"), name("1")));
        if (store.together(name("1"), name("2")) && store.together(name("2"), name("3"))) {
            assertTrue(store.together(name("1"), name("3")));
        }
    }

    private void oneHeld() {
        TenureId holder = takenByOther("2");
        List<Acquire.Refused> replies = refused(requests());
        assertEquals(
                List.of(Optional.empty(), Optional.of(holder.toString()), Optional.empty()),
                replies.stream().map(Acquire.Refused::holder).toList());
        assertEquals(Duration.ZERO, replies.get(0).retryAfter());
        assertEquals(Duration.ZERO, replies.get(2).retryAfter());
        Duration left = replies.get(1).retryAfter();
        assertTrue(left.compareTo(Scene.LONG) <= 0 && left.compareTo(Scene.LONG.dividedBy(2)) > 0, left::toString);
        areFree("1", "3");
    }

    private void nothingLeft() {
        takenByOther("3");
        List<Acquire> all = requests();
        LockReport before = inspect("1");
        refused(all);
        for (String suffix : List.of("1", "2")) {
            LockReport report = inspect(suffix);
            assertEquals(List.of(), report.holders());
            assertEquals(List.of(), report.waiters());
            assertEquals(before.lastToken(), report.lastToken(), "no token was drawn");
        }
        assertEquals(List.of(), inspect("3").waiters());
        all.forEach(request -> assertEquals(
                false,
                client.release(Release.of(request.name(), request.tenure())).held()));
    }

    private void race() {
        List<TestClient> clients = Stream.generate(scene::client).limit(5).toList();
        List<List<Acquire>> requests =
                clients.stream().map(each -> requests(each, scene)).toList();
        List<CompletionStage<List<Acquire.Reply>>> stages = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            stages.add(asking(clients.get(i), requests.get(i)));
        }
        List<Acquire.Reply> replies =
                stages.stream().flatMap(stage -> scene.await(stage).stream()).toList();
        assertEquals(
                NAMES.size(),
                replies.stream().filter(Acquire.Granted.class::isInstance).count());
    }

    private void late() {
        List<Acquire> all = new ArrayList<>(requests());
        all.set(1, all.get(1).withNotAfter(1));
        ask(all, Acquire.Late.class).forEach(late -> assertTrue(late.serverMicros() > 0));
        areFree("1", "2", "3");
    }

    private void secondCopy() {
        List<Acquire> all = requests();
        List<Acquire.Granted> first = granted(all);
        List<Acquire.Granted> second = granted(all);
        for (int i = 0; i < all.size(); i++) {
            assertTrue(second.get(i).tokens().first() > first.get(i).tokens().last());
        }
        for (Acquire request : all) {
            assertTrue(
                    client.release(Release.of(request.name(), request.tenure())).held());
        }
        areFree("1", "2", "3");
    }

    private void neverShortens() {
        Duration lease = scene.shortLease(client.capabilities());
        List<Acquire> all = requests();
        granted(all);
        granted(each(all, request -> request.withLease(lease)));
        scene.passLease(lease);
        areHeld();
    }

    private void partlyHeld() {
        List<Acquire> all = requests();
        client.granted(all.get(1));
        granted(all);
        areHeld();
    }

    private void tokens() {
        List<Acquire> all = requests();
        List<Long> before = new ArrayList<>();
        for (Acquire request : all) {
            TenureId tenure = other.tenure();
            before.add(other.granted(other.request(tenure, request.name()).withTokens(5_000))
                    .tokens()
                    .last());
            other.release(Release.of(request.name(), tenure));
        }
        List<Acquire.Granted> granted = granted(each(all, request -> request.withTokens(5_000)));
        for (int i = 0; i < all.size(); i++) {
            Acquire request = all.get(i);
            long last = granted.get(i).tokens().last();
            assertTrue(granted.get(i).tokens().first() > before.get(i));
            assertTrue(last > granted.get(i).tokens().first() + 1_024, "as many as were wanted");
            client.release(Release.of(request.name(), request.tenure()));
            TenureId next = other.tenure();
            assertTrue(
                    other.granted(other.request(next, request.name())).tokens().first() > last);
        }
    }

    private void leases() {
        Duration lease = scene.shortLease(client.capabilities());
        List<Acquire> all = new ArrayList<>(requests());
        all.set(1, all.get(1).withLease(lease));
        granted(all);
        scene.passLease(lease);
        other.refused(other.request(other.tenure(), name("1")));
        areFree("2");
        other.refused(other.request(other.tenure(), name("3")));
    }

    private void fair() {
        Duration lease = scene.shortLease(client.capabilities());
        Acquire holding = other.request(other.tenure(), name("2"));
        other.granted(holding.withLease(lease));
        TenureId waiter = other.tenure();
        Acquire inLine = other.request(waiter, name("2")).queued(Acquire.Queueing.FAIR, 0);
        other.refused(inLine);
        scene.passLease(lease);
        List<Acquire.Refused> replies = refused(requests());
        assertTrue(replies.get(1).retryAfter().compareTo(Duration.ZERO) > 0);
        assertEquals(Optional.empty(), replies.get(1).holder());
        assertEquals(1, inspect("2").waiters().size());
        areFree("1", "3");
        other.granted(inLine);
    }

    private void waiters() {
        Duration lease = scene.shortLease(client.capabilities());
        TestClient third = scene.client();
        other.granted(other.request(other.tenure(), name("2")).withLease(lease));
        third.refused(third.request(third.tenure(), name("2")).queued(Acquire.Queueing.BARGING, 0));
        scene.passLease(lease);
        assertEquals(
                List.of(0, 1, 0),
                granted(requests()).stream()
                        .map(Acquire.Granted::foreignWaiters)
                        .toList());
    }

    private void otherKind() {
        TenureId reader = other.tenure();
        Acquire reading = other.request(reader, name("2")).withShare(Share.READ);
        other.granted(reading);
        StoreException failure = assertInstanceOf(StoreException.class, scene.awaitFailure(asking(client, requests())));
        assertEquals(StoreException.Effect.REFUSED, failure.effect());
        assertTrue(String.valueOf(failure.getMessage()).contains("'" + name("2") + "'"), failure::getMessage);
        areFree("1", "3");
        other.release(Release.of(name("2"), reader).withMode(Mode.READ));
    }

    private void lateOfOtherKind() {
        TenureId reader = other.tenure();
        other.granted(other.request(reader, name("1")).withShare(Share.READ));
        List<Acquire> all = new ArrayList<>(requests());
        all.set(2, all.get(2).withNotAfter(1));
        ask(all, Acquire.Late.class);
        areFree("2", "3");
        other.release(Release.of(name("1"), reader).withMode(Mode.READ));
    }
}
