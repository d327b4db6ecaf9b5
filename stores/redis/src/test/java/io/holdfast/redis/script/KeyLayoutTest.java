package io.holdfast.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyLayoutTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "a b",
                "{t}x",
                "x{t}",
                "x{t}y{u}",
                "a{b",
                "{",
                "{x",
                "{}x",
                "{}{x}",
                "a}b",
                "}",
                "}{",
                "x{}",
                "a{b{c}d",
                "ключ",
                "ключ}"
            })
    void derivedKeysShareTheSlotOfTheLock(String lock) {
        assertThat(slot("hf:{" + KeyLayout.tag(lock) + "}:q:" + lock)).isEqualTo(slot(lock));
        assertThat(KeyLayout.tag(lock)).doesNotContain("}");
    }

    /** All names of a slot have the same one. */
    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "{t}x", "x{t}", "a}b", "{}x", "ключ"})
    void theCounterIsInTheSlotOfTheName(String name) {
        KeyLayout node = new KeyLayout("app:", "node:");
        String counter = node.keys(List.of(name))[1];
        assertThat(slot(counter)).isEqualTo(slot("app:" + name));
        assertThat(node.permitKeys(name)).contains(counter);
        assertThat(node.sharedKeys(name)).contains(counter);
        assertThat(counter).matches("hf:\\{[0-9a-z]+}:t:app:");
        assertThat(new KeyLayout("app:", "").keys(List.of(name))[1]).isEqualTo("hf:{}:t:app:");
    }

    @Test
    void theTableHasATextForEachSlot() {
        for (int i = 0; i < 100_000; i++) {
            String lock = "}" + i;
            assertThat(slot(KeyLayout.tag(lock))).isEqualTo(slot(lock));
        }
    }

    /** Two versions that disagreed about one of them would not see each other's waiters. */
    @Test
    void theTableIsFixed() {
        long sum = 0;
        for (int i = 0; i < 100_000; i++) {
            sum = sum * 31 + KeyLayout.tag("}" + i).hashCode();
        }
        assertThat(sum).isEqualTo(-5_394_849_604_223_653_354L);
    }

    private static int slot(String key) {
        return SlotHash.getSlot(key.getBytes(StandardCharsets.UTF_8));
    }
}
