package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.LockReport;
import io.holdfast.StoreRefusedException;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.redis.script.KeyPart;
import io.holdfast.redis.store.RedisStore;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Change;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.testkit.Await;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Data of another program under a name of a lock, or under any key beside it, are refused and stay as they are. */
class ForeignKeyTest {

    /** What the name is. */
    enum Kind {
        LOCK(Mode.LOCK),
        READ(Mode.READ),
        WRITE(Mode.WRITE),
        SEMAPHORE(Mode.PERMITS),
        LATCH(null);

        final Mode mode;

        Kind(Mode mode) {
            this.mode = mode;
        }

        boolean shared() {
            return mode == Mode.READ || mode == Mode.WRITE;
        }
    }

    /** The keys of the table in docs/design.md that belong to a name. */
    @SuppressWarnings("ImmutableEnumChecker") // EnumSet
    enum Key {
        NAME("the lock's name", "hash", Kind.LOCK, Kind.READ, Kind.WRITE),
        COUNTER("hf:{}:t:PREFIX", "string", Kind.LOCK, Kind.READ, Kind.WRITE, Kind.SEMAPHORE),
        FLOOR("hf:{tag}:tf:NAME", "string", Kind.LOCK, Kind.READ, Kind.WRITE),
        QUEUE("hf:{tag}:q:NAME", "zset", Kind.LOCK, Kind.READ, Kind.WRITE),
        CLAIM("hf:{tag}:a:NAME", "string", Kind.LOCK),
        KNOWN("hf:{tag}:s:NAME", "hash", Kind.LOCK, Kind.READ, Kind.WRITE),
        LEASES("hf:{tag}:r:NAME", "zset", Kind.READ, Kind.WRITE),
        TIMER("{NAME}:TENURE:rwlock_timeout:1", "string", Kind.READ),
        LIMIT("hf:{tag}:pl:NAME", "string", Kind.SEMAPHORE),
        HELD("hf:{tag}:ph:NAME", "zset", Kind.SEMAPHORE),
        ENDS("hf:{tag}:pe:NAME", "zset", Kind.SEMAPHORE),
        PERMIT_QUEUE("hf:{tag}:pq:NAME", "zset", Kind.SEMAPHORE),
        PERMITS_KNOWN("hf:{tag}:ps:NAME", "hash", Kind.SEMAPHORE),
        WANTED("hf:{tag}:pw:NAME", "zset", Kind.SEMAPHORE),
        PERMITS_DONE("hf:{tag}:pd:NAME", "zset", Kind.SEMAPHORE),
        STATE("hf:{tag}:l:NAME", "string", Kind.LATCH),
        LISTENERS("hf:{tag}:ll:NAME", "zset", Kind.LATCH),
        CHANGES("hf:{tag}:ld:NAME", "zset", Kind.LATCH);

        final String pattern;
        final String type;
        final Set<Kind> kinds;

        Key(String pattern, String type, Kind... kinds) {
            this.pattern = pattern;
            this.type = type;
            this.kinds = EnumSet.copyOf(List.of(kinds));
        }

        String of(String name, String owner) {
            return this == NAME
                    ? name
                    : pattern.replace("PREFIX", "")
                            .replace("NAME", name)
                            .replace("tag", name)
                            .replace("TENURE", owner);
        }
    }

    /** What another program keeps there. */
    @SuppressWarnings("ImmutableEnumChecker") // a function without state
    enum Content {
        LIST("list", (redis, key) -> redis.rpush(key, "a", "b")),
        SET("set", (redis, key) -> redis.sadd(key, "a", "b")),
        STREAM("stream", (redis, key) -> redis.xadd(key, "field", "value")),
        SORTED_SET("zset", (redis, key) -> redis.zadd(key, 17.0, "a", 18.0, "b")),
        TEXT("string", (redis, key) -> redis.set(key, "Bob")),
        FRACTION("string", (redis, key) -> redis.set(key, "12.5")),
        MANY_NUMBERS("string", (redis, key) -> redis.set(key, "17 ".repeat(9_000))),
        HUGE_NUMBER("string", (redis, key) -> redis.set(key, "1" + "0".repeat(40))),
        USER("hash", (redis, key) -> redis.hset(key, Map.of("name", "Bob", "city", "Ulm"))),
        USER_WITH_AN_END("hash", lasting(Map.of("name", "Bob"))),
        USER_WITH_A_MODE("hash", lasting(Map.of("mode", "read", "lang", "de"))),
        MODE_ALONE("hash", lasting(Map.of("mode", "dark"))),
        OWNER_WITHOUT_AN_END("hash", (redis, key) -> redis.hset(key, "6a7b:17", "1")),
        READER_WITHOUT_AN_END("hash", (redis, key) -> redis.hset(key, Map.of("mode", "read", "6a7b:17", "1"))),
        TWO_OWNERS("hash", lasting(Map.of("6a7b:17", "1", "6a7b:18", "1"))),
        BASKET("hash", lasting(Map.of("item:17", "three"))),
        MANY_FIELDS("hash", lasting(many(2_000))),
        OWNER_AND_OTHERS("hash", lasting(with(many(2_000), Map.of("mode", "read", "6a7b:17", "1"))));

        final String type;
        final BiConsumer<RedisCommands<String, String>, String> write;

        Content(String type, BiConsumer<RedisCommands<String, String>, String> write) {
            this.type = type;
            this.write = write;
        }

        private static BiConsumer<RedisCommands<String, String>, String> lasting(Map<String, String> fields) {
            return (redis, key) -> {
                redis.hset(key, fields);
                redis.pexpire(key, 60_000);
            };
        }

        private static Map<String, String> many(int count) {
            return IntStream.range(0, count).boxed().collect(Collectors.toMap(i -> "field" + i, i -> "value" + i));
        }

        private static Map<String, String> with(Map<String, String> some, Map<String, String> more) {
            Map<String, String> all = new HashMap<>(some);
            all.putAll(more);
            return all;
        }

        /** A client that listens to a latch may have any id; of a place a number is known. */
        boolean canBeTold(Key key) {
            boolean known = key == Key.KNOWN || key == Key.PERMITS_KNOWN;
            return !(key == Key.LISTENERS && type.equals("zset")) && !(known && this == TWO_OWNERS);
        }
    }

    private static final Duration LONG = Duration.ofSeconds(30);

    private static Servers servers;

    @BeforeAll
    static void start() {
        servers = Servers.start();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    private final TestClient client = TestClient.open(servers.uri());
    private final LockStore store = client.store();
    private final CounterStore counters = store.counters();
    private int number = 1;

    @AfterEach
    void close() {
        client.close();
    }

    static Stream<Key> keys() {
        return Stream.of(Key.values());
    }

    /** Everything that has the type of the key, which has to be told from ours, and one thing of another type. */
    @ParameterizedTest
    @MethodSource("keys")
    void whatIsNotOursIsRefusedAndStaysAsItIs(Key key) {
        assertLeftAlone(key, content -> content.type.equals(key.type), key != Key.NAME);
        assertLeftAlone(key, content -> content == Content.LIST, false);
    }

    @Tag("night")
    @ParameterizedTest
    @MethodSource("keys")
    void whatHasAnyTypeIsRefusedAndStaysAsItIs(Key key) {
        assertLeftAlone(key, content -> true, false);
        if (key != Key.NAME) {
            assertLeftAlone(key, content -> true, true);
        }
    }

    private void assertLeftAlone(Key key, Predicate<Content> wanted, boolean held) {
        for (Kind kind : key.kinds) {
            for (Content content : Content.values()) {
                if (wanted.test(content) && content.canBeTold(key)) {
                    assertLeftAlone(kind, key, content, held);
                }
            }
        }
    }

    private void assertLeftAlone(Kind kind, Key key, Content content, boolean held) {
        servers.redis.flushall();
        String name = Servers.name();
        TenureId tenure = client.tenure(number++);
        prepare(kind, name, tenure, held);
        String owner = kind.mode == null ? "" : tenure + KeyLayout.ending(kind.mode);
        String foreign = key.of(name, owner);
        servers.redis.del(foreign);
        content.write.accept(servers.redis, foreign);
        requests(kind, name, tenure, foreign).forEach((what, request) -> {
            String where = kind + ", " + content + " at " + foreign + (held ? ", held: " : ": ") + what;
            Map<String, String> before = contents();
            Optional<StoreException> refusal = refusal(request);
            if (isNotUsed(what, key, held)) {
                assertThat(contents().get(foreign)).as(where).isEqualTo(before.get(foreign));
                if (held && (what.equals("renew") || gives(what))) {
                    // one key that it does not need must neither end the hold nor keep it
                    assertThat(refusal).as(where).isEmpty();
                }
                if (held && what.equals("release")) {
                    Map<String, String> ours = new HashMap<>(contents());
                    ours.remove(foreign);
                    assertThat(ours.values()).as(where).noneMatch(value -> value.contains(tenure.toString()));
                }
                return;
            }
            assertThat(refusal).as(where).isPresent();
            assertThat(refusal.orElseThrow()).as(where).hasMessageContaining("the key '" + foreign + "'");
            // by key no other key is touched; a claim that was assigned before may end just now
            boolean alone = what.endsWith("by key");
            assertThat(alone ? contents().get(foreign) : contents())
                    .as(where)
                    .isEqualTo(alone ? before.get(foreign) : before);
        });
    }

    /** A renewal of what is not held is told so; no request has to refuse a key that it does not need. */
    private static boolean isNotUsed(String what, Key key, boolean held) {
        boolean looks = what.equals("force") || what.equals("inspect");
        boolean renews = what.startsWith("renew");
        boolean unused = renews && !held;
        return switch (key) {
            // what is free and waited for by nobody is acquired without a look at the queue
            case KNOWN -> renews || (what.equals("acquire") && !held);
            case COUNTER, FLOOR -> what.equals("renew") || gives(what) || unused;
            case TIMER -> what.startsWith("wait") || looks || unused;
            case LEASES -> (looks && !held) || unused;
            default -> unused;
        };
    }

    private static boolean gives(String what) {
        return what.equals("release") || what.equals("yield") || what.equals("revoke");
    }

    private void prepare(Kind kind, String name, TenureId tenure, boolean held) {
        if (kind == Kind.SEMAPHORE) {
            Await.reply(counters.change(change(Change.Kind.TRY_PERMITS, name)));
        } else if (kind == Kind.LATCH) {
            Await.reply(counters.change(change(Change.Kind.TRY_COUNT, name)));
        }
        if (held && kind.mode != null) {
            assertThat(client.acquire(acquire(kind, name, tenure))).isInstanceOf(Acquire.Granted.class);
        }
    }

    private Change change(Change.Kind kind, String name) {
        return new Change(kind, name, client.tenure(number++), 2, Optional.empty(), Long.MAX_VALUE >> 11);
    }

    private static Share share(Kind kind) {
        return kind == Kind.SEMAPHORE ? Share.permits(1) : Share.of(kind.mode);
    }

    private Acquire acquire(Kind kind, String name, TenureId tenure) {
        return client.request(name, tenure.number()).withShare(share(kind));
    }

    private Map<String, Function<LockStore, CompletionStage<?>>> requests(
            Kind kind, String name, TenureId tenure, String foreign) {
        Map<String, Function<LockStore, CompletionStage<?>>> all = new LinkedHashMap<>();
        if (kind == Kind.LATCH || kind == Kind.SEMAPHORE) {
            Stream.of(Change.Kind.values())
                    .filter(change -> change.ofLatch() == (kind == Kind.LATCH))
                    .forEach(change -> all.put(change.name(), use -> counters.change(change(change, name))));
        }
        if (kind == Kind.LATCH) {
            all.put("look", use -> counters.latch(name, false));
            all.put("listen", use -> counters.latch(name, true));
            return all;
        }
        Acquire acquire = acquire(kind, name, tenure);
        Acquire another = acquire(kind, name, client.tenure(number++));
        Renew renew = new Renew(name, tenure, kind.mode, LONG, 0);
        Release release = Release.of(name, tenure).withMode(kind.mode);
        all.put("acquire", use -> use.acquire(acquire));
        all.put("wait", use -> use.acquire(another.queued(Acquire.Queueing.BARGING, 0)));
        all.put(
                "wait fairly",
                use -> use.acquire(another.queued(Acquire.Queueing.FAIR, 0)
                        .withBehind(
                                kind == Kind.LOCK
                                        ? List.of(new Acquire.Place(client.tenure(9), 0, LONG))
                                        : List.of())));
        all.put("renew", use -> use.renew(List.of(renew)).thenApply(replies -> failed(replies.get(0))));
        all.put(
                "renew for tokens",
                use -> use.renew(List.of(new Renew(name, tenure, kind.mode, LONG, 5_000)))
                        .thenApply(replies -> failed(replies.get(0))));
        all.put("release", use -> use.release(release));
        all.put("yield", use -> use.release(release.withYield(true).withPlaces(List.of(client.tenure(9)))));
        if (kind == Kind.SEMAPHORE) {
            all.put("permits", use -> counters.permits(name));
            all.put("revoke", use -> counters.revoke(name, tenure));
        } else {
            all.put("force", use -> use.forceRelease(name));
            all.put("inspect", use -> use.inspect(name));
        }
        RedisStore redis = (RedisStore) store;
        for (KeyPart part : redis.parts(name, tenure, kind.mode)) {
            if (part.key().equals(foreign)) {
                all.put("by key", use -> redis.byKey(part, name, LONG, false));
                all.put("release by key", use -> redis.byKey(part, name, Duration.ZERO, false));
            }
        }
        return all;
    }

    private static Renew.Reply failed(Renew.Reply reply) {
        if (reply instanceof Renew.Failed failed) {
            throw failed.cause();
        }
        return reply;
    }

    private Optional<StoreException> refusal(Function<LockStore, CompletionStage<?>> request) {
        try {
            Await.reply(request.apply(store));
            return Optional.empty();
        } catch (StoreException e) {
            assertThat(e.effect()).as(e.getMessage()).isEqualTo(StoreException.Effect.REFUSED);
            return Optional.of(e);
        }
    }

    /** Of all keys, and whether they end. */
    private Map<String, String> contents() {
        Map<String, String> contents = new TreeMap<>();
        for (String key : servers.keys()) {
            contents.put(key, List.of(dump(key)) + " " + (servers.redis.pttl(key) < 0));
        }
        return contents;
    }

    private String dump(String key) {
        return HexFormat.of().formatHex(servers.redis.dump(key));
    }

    /** Of the table everything is tested but the keys of a fence, which have a test of their own, and of a client alone. */
    @Test
    void allKeysOfTheTableAreTested() throws IOException {
        Set<String> written = new TreeSet<>();
        Matcher rows = Pattern.compile("(?m)^\\| (the lock's name|`[^|]+) \\| ")
                .matcher(Files.readString(Path.of("../../docs/design.md")));
        while (rows.find()) {
            Stream.of(rows.group(1).replace("`", "").split(", "))
                    .map(key -> key.startsWith(":") ? "hf:{tag}" + key + "NAME" : key)
                    .filter(key -> key.contains("NAME") || key.contains("PREFIX") || key.equals("the lock's name"))
                    .forEach(written::add);
        }
        assertThat(written)
                .isEqualTo(Stream.of(Key.values()).map(key -> key.pattern).collect(Collectors.toSet()));
    }

    /** As in the shell: HSET user:42 name Bob. */
    @Test
    void whatAUserKeepsUnderTheNameIsNoLock() {
        String name = Servers.name();
        servers.redis.hset(name, Map.of("name", "Bob", "city", "Ulm"));
        try (Holdfast holdfast = Holdfast.connect(servers.uri())) {
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> holdfast.lock(name).tryLock(),
                    () -> holdfast.lock(name).forceUnlock(),
                    () -> holdfast.lock(name).isLocked(),
                    () -> holdfast.readWriteLock(name).readLock().tryLock(),
                    () -> holdfast.readWriteLock(name).writeLock().tryLock(),
                    () -> holdfast.inspect(name))) {
                assertThatThrownBy(call)
                        .isInstanceOf(StoreRefusedException.class)
                        .hasMessageContainingAll(
                                "the key '" + name + "' is not a key of Holdfast", "keeps a hash there")
                        .hasMessageContaining("choose another name, or set keyPrefix");
            }
            assertThat(holdfast.list("")).extracting(LockReport::name).doesNotContain(name);
        }
        assertThat(servers.redis.hgetall(name)).isEqualTo(Map.of("name", "Bob", "city", "Ulm"));
    }

    /** It belongs to another program from then on, together with what is left of the hold. */
    @Test
    void aFieldThatAnotherProgramAddsToAHeldLockStays() {
        String name = Servers.name();
        client.granted(name, 1);
        servers.redis.hset(name, "name", "Bob");
        Map<String, String> before = contents();
        Renew.Reply renewed = client.renew(name, 1);
        assertThat(renewed).isInstanceOf(Renew.Failed.class);
        assertThatThrownBy(() -> client.release(name, 1)).hasMessageContaining("is not a key of Holdfast");
        assertThatThrownBy(() -> Await.reply(store.forceRelease(name)))
                .hasMessageContaining("is not a key of Holdfast");
        assertThat(contents()).isEqualTo(before);
    }
}
