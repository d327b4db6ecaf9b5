package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencedOutException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.Await;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes with old tokens, to a real server. */
@Tag("everywhere")
class FenceTest {

    private final Servers servers = Servers.shared();
    private final RedisFence fence = RedisFence.of(servers.redis);
    private final String key = Servers.name();

    private void assertRefused(long token, long highest, Runnable write) {
        assertThatThrownBy(write::run)
                .isInstanceOfSatisfying(FencedOutException.class, refused -> {
                    assertThat(refused.resource()).isEqualTo(key);
                    assertThat(refused.fencingToken()).isEqualTo(token);
                    assertThat(refused.highest()).isEqualTo(highest);
                })
                .hasMessageContainingAll("'" + key + "'", "token " + token, "token " + highest);
    }

    @Test
    void anOldHolderThatWasPausedForLongerThanItsLeaseIsRefused() throws InterruptedException {
        try (Holdfast slow = Holdfast.connect(servers.uri());
                Holdfast quick = Holdfast.connect(servers.uri())) {
            Lease old = slow.lock(key + "-lock")
                    .tryAcquire(Duration.ZERO, Duration.ofSeconds(30))
                    .orElseThrow();
            String read = "nothing yet";
            servers.redis.del(key + "-lock"); // as the end of the lease does, of which a paused process knows nothing
            try (Lease lease = quick.lock(key + "-lock").acquire(Duration.ofSeconds(20))) {
                fence.set(key, lease.fencingToken(), "shipped by the new holder");
                assertRefused(
                        old.fencingToken(),
                        lease.fencingToken(),
                        () -> fence.set(key, old.fencingToken(), read + ", shipped by the old one"));
            }
            assertThat(old.isValid()).as("known to the old holder").isTrue();
        }
        assertThat(servers.redis.get(key)).isEqualTo("shipped by the new holder");
    }

    @ParameterizedTest
    @CsvSource({
        "1, 2",
        "9, 10",
        "999, 1000",
        "9007199254740991, 9007199254740992",
        "9007199254740992, 9007199254740993",
        "9007199254740993, 9007199254740994",
        "1794862800000000000, 1794862800000000001",
        "9223372036854775806, 9223372036854775807"
    })
    void neighboursAreToldApart(long lower, long higher) {
        fence.set(key, lower, "a");
        fence.set(key, higher, "b");
        assertRefused(lower, higher, () -> fence.set(key, lower, "c"));
        assertThat(servers.redis.get(key)).isEqualTo("b");
        fence.set(key, higher, "the same token again");
        assertThat(servers.redis.get(key)).isEqualTo("the same token again");
    }

    @Test
    void theHighestTokenIsKeptBesideTheKey() {
        fence.set(key, 42, "value");
        assertThat(servers.redis.get(RedisFence.guardKey(key))).isEqualTo("0000000000000000042");
        assertThat(servers.redis.pttl(RedisFence.guardKey(key))).isEqualTo(-1);
        assertThat(servers.keysOf(key)).containsExactlyInAnyOrder(key, RedisFence.guardKey(key));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "{t}x", "x{t}y{u}", "a{b", "{}x", "a}b", "ключ}"})
    void theGuardIsInTheSlotOfItsKey(String any) {
        assertThat(SlotHash.getSlot(RedisFence.guardKey(any).getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(SlotHash.getSlot(any.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void digitsAreThoseOfTheServerInEveryLocale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            fence.set(key, 7, "value");
        } finally {
            Locale.setDefault(before);
        }
        assertRefused(6, 7, () -> fence.set(key, 6, "old"));
    }

    // ---- the writes

    @Test
    void aValueMayExpireAndItsGuardDoesNot() {
        fence.set(key, 7, "value", Duration.ofMillis(50));
        Await.until("the value has expired", () -> servers.redis.exists(key) == 0);
        assertRefused(6, 7, () -> fence.set(key, 6, "old", Duration.ofSeconds(1)));
        fence.set(key, 7, "value", Duration.ofSeconds(30));
        assertThat(servers.redis.pttl(key)).isBetween(20_000L, 30_000L);
        fence.set(key, 7, "for ever");
        assertThat(servers.redis.pttl(key)).isEqualTo(-1);
    }

    @Test
    void fieldsOfAHashAreSetAndDeleted() {
        assertThat(fence.hset(key, 7, Map.of("a", "1", "b", "2"))).isEqualTo(2);
        assertThat(fence.hset(key, 8, Map.of("a", "3"))).isZero();
        assertRefused(7, 8, () -> fence.hset(key, 7, Map.of("a", "4")));
        assertRefused(7, 8, () -> fence.hdel(key, 7, "a"));
        assertThat(servers.redis.hgetall(key)).containsOnly(Map.entry("a", "3"), Map.entry("b", "2"));
        assertThat(fence.hdel(key, 8, "a", "b", "c")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {499, 500, 501, 1_000, 1_001, 4_100, 20_000})
    void manyFieldsAreSetAndDeletedByOneCall(int count) {
        Map<String, String> fields =
                IntStream.range(0, count).boxed().collect(Collectors.toMap(i -> "field " + i, i -> "value " + i));
        assertThat(fence.hset(key, 7, fields)).isEqualTo(count);
        assertThat(servers.redis.hgetall(key)).isEqualTo(fields);
        assertThat(fence.hset(key, 7, fields)).isZero();
        assertRefused(6, 7, () -> fence.hset(key, 6, fields));
        assertThat(fence.hdel(key, 7, fields.keySet().toArray(String[]::new))).isEqualTo(count);
        assertThat(servers.redis.exists(key)).isZero();
    }

    @Test
    void tooManyFieldsAreRefused() {
        String[] fields = new String[100_001];
        Arrays.fill(fields, "f");
        assertThatThrownBy(() -> fence.hdel(key, 7, fields))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(key, "100001 fields", "at most 100000");
        assertThat(servers.keysOf(key)).isEmpty();
    }

    @Test
    void aDeletedKeyKeepsItsGuard() {
        fence.set(key, 7, "value");
        assertRefused(6, 7, () -> fence.del(key, 6));
        assertThat(fence.del(key, 7)).isTrue();
        assertThat(fence.del(key, 8)).isFalse();
        assertRefused(7, 8, () -> fence.set(key, 7, "old"));
    }

    @Test
    void aTokenCanBeShownBeforeTheFirstWrite() {
        fence.raise(key, 8);
        assertThat(servers.redis.exists(key)).isZero();
        assertRefused(7, 8, () -> fence.set(key, 7, "old"));
        assertRefused(7, 8, () -> fence.raise(key, 7));
        fence.set(key, 8, "new");
    }

    @Test
    void aWriteThatFailsIsRememberedToo() {
        servers.redis.set(key, "no hash");
        assertThatThrownBy(() -> fence.hset(key, 8, Map.of("a", "1")))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("WRONGTYPE");
        assertRefused(7, 8, () -> fence.set(key, 7, "old"));
    }

    // ---- scripts of others

    @Test
    void aScriptSeesItsOwnKeysAndArgumentsOnly() {
        String script = "return {#KEYS, KEYS[1], KEYS[2], #ARGV, ARGV[1]}";
        List<Object> seen =
                fence.eval(key, 7, script, ScriptOutputType.MULTI, List.of("{" + key + "}:log"), "argument");
        assertThat(seen).containsExactly(2L, key, "{" + key + "}:log", 1L, "argument");
    }

    @Test
    void aScriptRunsOnlyWithItsToken() {
        String script = "return redis.call('INCRBY', KEYS[1], ARGV[1])";
        Long sum = fence.eval(key, 7, script, ScriptOutputType.INTEGER, List.of(), "5");
        assertThat(sum).isEqualTo(5);
        assertRefused(6, 7, () -> fence.eval(key, 6, script, ScriptOutputType.INTEGER, List.of(), "5"));
        assertThat(servers.redis.get(key)).isEqualTo("5");
    }

    @Test
    void aScriptsOwnErrorIsShown() {
        assertThatThrownBy(() ->
                        fence.eval(key, 7, "return redis.error_reply('MINE no')", ScriptOutputType.STATUS, List.of()))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("MINE no");
    }

    @Test
    void aServerThatForgotTheScriptIsToldItAnew() {
        try (Servers own = Servers.start()) {
            RedisFence elsewhere = RedisFence.of(own.redis);
            elsewhere.set(key, 7, "a");
            own.redis.scriptFlush();
            elsewhere.set(key, 8, "b");
            own.redis.scriptFlush();
            assertRefused(7, 8, () -> elsewhere.set(key, 7, "c"));
            assertThat(own.redis.get(key)).isEqualTo("b");
            long evaluated = own.calls("eval");
            elsewhere.set(key, 8, "d");
            assertThat(own.calls("eval")).as("known now").isEqualTo(evaluated);
        }
    }

    // ---- the life of a guard

    @Test
    void aGuardThatExpiresForgets() {
        RedisFence forgetful = fence.withGuardLife(Duration.ofMillis(100));
        forgetful.set(key, 8, "new");
        Await.until("the guard has expired", () -> servers.redis.exists(RedisFence.guardKey(key)) == 0);
        forgetful.withGuardLife(Duration.ofHours(1)).set(key, 7, "old");
        assertThat(servers.redis.get(key)).isEqualTo("old");
        assertThat(servers.redis.pttl(RedisFence.guardKey(key))).isBetween(3_500_000L, 3_600_000L);
        fence.set(key, 7, "remembered for ever");
        assertThat(servers.redis.pttl(RedisFence.guardKey(key))).isEqualTo(-1);
    }

    // ---- what is wrong

    @Test
    void whatIsNoGuardIsNamed() {
        servers.redis.set(RedisFence.guardKey(key), "7");
        assertThatThrownBy(() -> fence.set(key, 8, "value"))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContainingAll(RedisFence.guardKey(key), "holds no token", "another program uses it")
                .hasMessageNotContaining("delete");
        servers.redis.del(RedisFence.guardKey(key));
        servers.redis.lpush(RedisFence.guardKey(key), "7");
        assertThatThrownBy(() -> fence.set(key, 8, "value")).hasMessageContaining("holds no token");
        assertThat(servers.redis.exists(key)).isZero();
        servers.redis.del(RedisFence.guardKey(key));
    }

    @Test
    void aMissingRightIsShown() {
        String uri = servers.allow("fenced", "~*", "+evalsha", "+eval", "+set", "+hello");
        RedisClient client = RedisClient.create(uri);
        try (var connection = client.connect()) {
            RedisFence restricted = RedisFence.of(connection.sync());
            assertThatThrownBy(() -> restricted.set(key, 7, "value"))
                    .isInstanceOf(RedisCommandExecutionException.class)
                    .hasMessageNotContaining("holds no token");
            assertThat(servers.redis.exists(key)).isZero();
        } finally {
            client.shutdown();
        }
    }

    @Test
    void badArgumentsAreRefused() {
        assertThatThrownBy(() -> fence.set(key, 0, "value"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(key, "token 0");
        assertThatThrownBy(() -> fence.del(key, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> fence.hset(key, 7, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no fields");
        assertThatThrownBy(() -> fence.hdel(key, 7)).isInstanceOf(IllegalArgumentException.class);
        for (Duration bad :
                List.of(Duration.ZERO, Duration.ofNanos(1), Duration.ofMillis(-1), Duration.ofDays(40_000))) {
            assertThatThrownBy(() -> fence.set(key, 7, "value", bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll(key, bad.toString());
            assertThatThrownBy(() -> fence.withGuardLife(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(servers.keysOf(key)).isEmpty();
    }

    @Test
    void aClusterIsWrittenThroughItsOwnConnection() {
        try (Servers node = Servers.start("--cluster-enabled", "yes")) {
            node.redis.clusterAddSlots(IntStream.range(0, SlotHash.SLOT_COUNT).toArray());
            Await.until("the cluster stands", () -> node.redis.clusterInfo().contains("cluster_state:ok"));
            RedisClusterClient client = RedisClusterClient.create(RedisURI.create(node.uri()));
            try (var connection = client.connect()) {
                RedisFence cluster = RedisFence.of(connection.sync());
                for (String each : List.of(key, "{a}" + key, key + "}")) {
                    cluster.set(each, 8, "new");
                    assertThatThrownBy(() -> cluster.set(each, 7, "old")).isInstanceOf(FencedOutException.class);
                    assertThat(connection.sync().get(each)).isEqualTo("new");
                }
            } finally {
                client.shutdown();
            }
        }
    }
}
