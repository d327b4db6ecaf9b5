package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockReport;
import io.holdfast.testkit.Await;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Names that are refused, and odd ones that work. */
class BadNameTest {

    private static final Servers SERVERS = Servers.start();

    private final Holdfast client = Holdfast.connect(SERVERS.uri());
    private final Holdfast other = Holdfast.connect(SERVERS.uri());

    @BeforeEach
    void forget() {
        SERVERS.redis.flushall();
    }

    @AfterEach
    void close() {
        client.close();
        other.close();
    }

    @AfterAll
    static void stop() {
        SERVERS.close();
    }

    private void refusesName(String bad, String... texts) {
        for (ThrowingCallable call : new ThrowingCallable[] {
            () -> client.lock(bad), () -> client.lock(bad, LockOptions.defaults()), () -> client.inspect(bad)
        }) {
            assertThatThrownBy(call)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("lock name ")
                    .hasMessageContainingAll(texts);
        }
        assertThat(SERVERS.keys()).isEmpty();
    }

    @Test
    void anEmptyNameIsRefused() {
        refusesName("", "0 bytes", "1 to 512 are allowed");
    }

    @Test
    void aNameOfMoreThan512BytesIsRefused() {
        refusesName("x".repeat(513), "513 bytes of UTF-8", "1 to 512 are allowed", "'xxxx");
        refusesName("ü".repeat(257), "514 bytes of UTF-8", "1 to 512 are allowed", "'üüüü");
        refusesName("🔒".repeat(129), "516 bytes of UTF-8", "1 to 512 are allowed", "'🔒🔒");
    }

    @Test
    void aNameThatCannotBeEncodedIsRefused() {
        refusesName("a\uD800b", "'a\\ud800b'", "cannot be encoded as UTF-8", "an unpaired surrogate");
        refusesName("🔒\uDC00", "'🔒\\udc00'", "cannot be encoded as UTF-8", "an unpaired surrogate");
    }

    @Test
    void aNameLikeTheKeysOfTheLibraryIsRefused() {
        for (String bad : new String[] {"hf:{", "hf:{n", "hf:{n}:t:n", "hf:{n}:q:n"}) {
            refusesName(bad, "'" + bad + "' begins with 'hf:{'", "reserved for the library's own keys");
        }
    }

    static Stream<String> oddNames() {
        return Stream.of(
                "x".repeat(512),
                "ü".repeat(256),
                "🔒".repeat(128),
                "a{b",
                "a}b",
                "{",
                "}",
                "{}",
                "{}x",
                "{tag}x",
                "x}y{z",
                "x}y{z}",
                " ",
                "a b",
                " a ",
                "a\nb",
                "a\r\n$3\r\nb",
                "\u0000",
                "*",
                "?[a-z]\\",
                "a^]",
                "%d%s",
                "\"'",
                "ключ-🔒",
                "hf:x",
                "HF:{x}",
                " hf:{x}",
                "a:1");
    }

    @ParameterizedTest
    @MethodSource("oddNames")
    void anOddNameWorksLikeAnyOther(String odd) {
        DistributedLock mine = client.lock(odd);
        mine.lock();
        assertThat(mine.name()).isEqualTo(odd);
        assertThat(other.lock(odd).tryLock()).isFalse();
        assertThat(HolderAnswers.holder(() -> other.lock(odd).holder()).fencingToken())
                .hasValue(mine.fencingToken());
        CompletableFuture<Lease> next = other.lock(odd).async().acquire();
        Await.until("it waits", () -> !client.inspect(odd).waiters().isEmpty());
        assertThat(client.inspect(odd).name()).isEqualTo(odd);
        assertThat(client.list(odd)).extracting(LockReport::name).containsExactly(odd);
        mine.unlock();
        try (Lease lease = Await.reply(next)) {
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.name()).isEqualTo(odd);
        }
        assertThat(mine.isLocked()).isFalse();
        assertThat(SERVERS.keys()).containsExactly(Servers.counterKey());
    }
}
