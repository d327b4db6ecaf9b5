package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.script.KeyLayout;
import io.holdfast.redis.script.Script;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.ScriptOutputType;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * How much a script does does not depend on how many wait: counted are the commands it runs, the elements of their replies, and
 * the members that they remove.
 */
class WorkTest {

    private static final int FEW = 1_500;
    private static final int MANY = 6_000;
    private static final String INBOXES = "hf:in:";
    private static final String FOREVER = "9000000000000000";
    private static final String NOW = Long.toString(System.currentTimeMillis() * 1_000);

    /** In place of what a script calls: counts. */
    private static final String COUNTER = """
            local work, real = 0, redis
            local function counted(command, reply)
                local removed = string.find(command, '^ZREM') and reply
                work = work + 1 + (type(reply) == 'table' and #reply or removed or 0)
                return reply
            end
            local redis = setmetatable({
                call = function(...) return counted(..., real.call(...)) end,
                pcall = function(...) return counted(..., real.pcall(...)) end
            }, {__index = real})
            local function script()
            """;

    private static final String TOTAL = "\nend\nscript()\nreturn work";

    private final Servers servers = Servers.start();
    private final KeyLayout layout = new KeyLayout("", "");

    @AfterEach
    void close() {
        servers.close();
    }

    /** What is waited for, and how many wait. */
    private interface Scenario {
        long work(String name, int waiters);
    }

    private static void assertFlat(Scenario scenario) {
        long few = scenario.work("few", FEW);
        assertThat(scenario.work("many", MANY)).as("work for many").isLessThanOrEqualTo(few + few / 10);
        assertThat(few).as("work for few").isLessThan(8_000);
    }

    private long run(Script script, String[] keys, Object... arguments) {
        String[] values = Stream.of(arguments).map(Object::toString).toArray(String[]::new);
        return servers.redis.<Long>eval(COUNTER + script.text + TOTAL, ScriptOutputType.INTEGER, keys, values);
    }

    /** Of many clients, none of which listens, in the order of arrival. */
    private void places(String key, String mark, int count) {
        fill(key, i -> ScoredValue.just(1_000 + i, mark + "client" + i + ":1"), count);
    }

    /** Of one client that listens; the first of the numbers. */
    private void places(String key, TestClient client, String mark, int count) {
        fill(key, i -> ScoredValue.just(1_000 + i, mark + client.tenure(i)), count);
    }

    private void fill(String key, IntFunction<ScoredValue<String>> each, int count) {
        for (int from = 0; from < count; from += 500) {
            servers.redis.zadd(
                    key,
                    IntStream.range(from, Math.min(count, from + 500))
                            .mapToObj(each)
                            .flatMap(place -> Stream.<Object>of(place.getScore(), place.getValue()))
                            .toArray());
        }
    }

    private void hold(String key, Map<String, String> fields) {
        servers.redis.hset(key, fields);
        servers.redis.pexpire(key, 60_000);
    }

    // ---- locks

    private String[] lock(String name) {
        return layout.servedKeys(name);
    }

    private long acquire(String name, int queueing) {
        return run(Script.ACQUIRE, lock(name), "me:1", 30_000, 1, FOREVER, queueing, 0, INBOXES);
    }

    private long release(String name, String tenure) {
        return run(Script.RELEASE, lock(name), tenure, 1, INBOXES);
    }

    @Test
    void ofANewcomerBehindThoseWhoBarge() {
        assertFlat((name, waiters) -> {
            places(Servers.queueKey(name), "", waiters);
            return acquire(name, 1);
        });
    }

    @Test
    void ofANewcomerWhereFairPlacesAreFarBehind() {
        assertFlat((name, waiters) -> {
            places(Servers.queueKey(name), "", waiters);
            hold(layout.known(name), Map.of("!", NOW));
            return acquire(name, 1);
        });
    }

    @Test
    void ofAReleaseWhenAllWhoWaitAreGone() {
        for (String mark : List.of("", "!")) {
            assertFlat((name, waiters) -> {
                hold(name, Map.of("me:1", "1"));
                places(Servers.queueKey(name), mark, waiters);
                return release(name, "me:1");
            });
            servers.redis.flushall();
        }
    }

    @Test
    void ofServingAfterAClaimLapsed() {
        try (TestClient absent = TestClient.open(servers.uri())) {
            assertFlat((name, waiters) -> {
                places(Servers.queueKey(name), absent, "!", waiters);
                servers.redis.set(Servers.claimKey(name), "!" + absent.tenure(1));
                return acquire(name, 2);
            });
        }
    }

    @Test
    void ofForceAndInspect() {
        for (Script script : List.of(Script.FORCE, Script.INSPECT)) {
            assertFlat((name, waiters) -> {
                hold(name, Map.of("me:1", "1"));
                places(Servers.queueKey(name), "!", waiters);
                return run(script, lock(name), INBOXES);
            });
            servers.redis.flushall();
        }
    }

    // ---- read/write locks

    private String[] shared(String name) {
        return Stream.concat(
                        layout.sharedKeys(name, new TenureId("me", 1), Mode.WRITE),
                        Stream.of(layout.timers(name), layout.known(name)))
                .toArray(String[]::new);
    }

    @Test
    void ofServingReaders() {
        try (TestClient reader = TestClient.open(servers.uri())) {
            assertFlat((name, waiters) -> {
                hold(name, Map.of("mode", "write", "me:1:write", "1"));
                places(Servers.queueKey(name), reader, "<", waiters);
                return run(Script.SHARE_RELEASE, shared(name), "me:1", INBOXES, "write", "");
            });
        }
    }

    @Test
    void ofAReaderBehindWritersThatAreGone() {
        assertFlat((name, waiters) -> {
            hold(name, Map.of("mode", "read", "other:1", "1"));
            places(Servers.queueKey(name), "", waiters);
            return run(Script.SHARE_ACQUIRE, shared(name), "me:1", 30_000, 1, FOREVER, 1, 0, INBOXES, "read", "", "");
        });
    }

    // ---- semaphores

    private String[] permits(String name) {
        return layout.countedKeys(name, "pl", "ph", "pe", "pq", "pw", "pt", "pd", "ps");
    }

    /** So many permits, all of which are held; and those who wait. */
    private String[] full(String name, TestClient client, String mark, int waiters) {
        String[] keys = permits(name);
        servers.redis.set(keys[0], "10");
        servers.redis.zadd(keys[1], 10, "=");
        servers.redis.zadd(keys[1], 10, "holder:1");
        servers.redis.zadd(keys[2], 8e15, "holder:1");
        places(keys[3], client, mark, waiters);
        places(keys[4], client, mark, waiters);
        fill(keys[4], i -> ScoredValue.just(1, mark + client.tenure(i)), waiters);
        return keys;
    }

    @Test
    void ofAskingForPermitsWhenNoneIsFree() {
        try (TestClient client = TestClient.open(servers.uri())) {
            for (int queueing : List.of(1, 2)) {
                assertFlat((name, waiters) -> {
                    String[] keys = full(name + queueing, client, queueing == 2 ? "!" : "", waiters);
                    return run(Script.PERMIT_ACQUIRE, keys, "me:1", 30_000, 1, FOREVER, queueing, 0, INBOXES, 1, name);
                });
            }
        }
    }

    @Test
    void ofAskingForPermitsWhenNoneIsFreeIsFewCommands() {
        try (TestClient client = TestClient.open(servers.uri())) {
            String[] keys = full("one", client, "", MANY);
            assertThat(run(Script.PERMIT_ACQUIRE, keys, "me:1", 30_000, 1, FOREVER, 1, 0, INBOXES, 1, "one"))
                    .isLessThan(50);
        }
    }

    @Test
    void ofGivingPermitsToAllWhoWait() {
        try (TestClient client = TestClient.open(servers.uri())) {
            assertFlat((name, waiters) -> {
                String[] keys = full(name, client, "", waiters);
                return run(Script.PERMIT_CHANGE, keys, "SET_PERMITS", "me:7", 1_000_000, FOREVER, INBOXES, name);
            });
        }
    }

    @Test
    void ofClaimsOfPermitsThatLapsed() {
        try (TestClient client = TestClient.open(servers.uri())) {
            assertFlat((name, waiters) -> {
                String[] keys = full(name, client, "!", waiters);
                fill(keys[1], i -> ScoredValue.just(-1, "absent" + i + ":1"), waiters);
                fill(keys[2], i -> ScoredValue.just(1, "absent" + i + ":1"), waiters);
                return run(Script.PERMIT_ACQUIRE, keys, "me:1", 30_000, 1, FOREVER, 2, 0, INBOXES, 1, name)
                        + run(Script.PERMIT_RENEW, keys, "holder:1", 30_000, 0)
                        + run(Script.PERMIT_RELEASE, keys, "holder:1", INBOXES, name, 0);
            });
        }
    }

    @Test
    void ofShowingWhoHoldsPermits() {
        assertFlat((name, holders) -> {
            String[] keys = permits(name);
            fill(keys[1], i -> ScoredValue.just(1, "holder" + i + ":1"), holders);
            fill(keys[2], i -> ScoredValue.just(8e15, "holder" + i + ":1"), holders);
            return run(Script.PERMIT_INSPECT, keys, 0, 500);
        });
    }

    /** After a burst of changes, whose ids are over. */
    @Test
    void ofForgettingChangesOfPermits() {
        assertFlat((name, changes) -> {
            String[] keys = permits(name);
            fill(keys[6], i -> ScoredValue.just(i, "1 me:" + i), changes);
            return run(Script.PERMIT_CHANGE, keys, "SET_PERMITS", "me:x:1", 5, FOREVER, INBOXES, name);
        });
    }

    // ---- latches

    @Test
    void ofForgettingChangesOfALatch() {
        assertFlat((name, changes) -> {
            String[] keys = latch(name, 0);
            fill(keys[2], i -> ScoredValue.just(i, "1 me:" + i), changes);
            return run(Script.LATCH_CHANGE, keys, "COUNT_DOWN", "me:x:1", 1, FOREVER, INBOXES, name, 0);
        });
    }

    @Test
    void ofForgettingThoseWhoListenedToALatch() {
        assertFlat((name, listeners) -> run(Script.LATCH_INSPECT, latch(name, listeners), "me", 1));
    }

    /** What one change leaves is forgotten by the next ones. */
    @Test
    void allThatIsOverIsForgottenInTheEnd() {
        String[] keys = latch("n", 0);
        fill(keys[2], i -> ScoredValue.just(i, "1 me:" + i), FEW);
        for (int i = 0; i < 10; i++) {
            run(Script.LATCH_CHANGE, keys, "RESET_COUNT", "me:x:" + i, 1, FOREVER, INBOXES, "n", 0);
        }
        assertThat(servers.redis.zcard(keys[2])).isEqualTo(10);
    }

    @Test
    void ofTellingThatALatchIsOpen() {
        assertFlat((name, listeners) -> {
            String[] keys = latch(name, listeners);
            return run(Script.LATCH_CHANGE, keys, "COUNT_DOWN", "me:2", 1, FOREVER, INBOXES, name, 0);
        });
    }

    @Test
    void ofTellingThatALatchIsSetAnew() {
        assertFlat((name, listeners) -> {
            String[] keys = latch(name, listeners);
            return run(Script.LATCH_CHANGE, keys, "RESET_COUNT", "me:2", 1, FOREVER, INBOXES, name, 0);
        });
    }

    private String[] latch(String name, int listeners) {
        String[] keys = layout.countedKeys(name, "l", "ll", "ld");
        servers.redis.set(keys[0], "1 1 0 0");
        fill(keys[1], i -> ScoredValue.just(i, "client" + i), listeners);
        return keys;
    }
}
