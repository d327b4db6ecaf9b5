package io.holdfast.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKey.Kind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("everywhere")
class KeysTest {

    private static final Keys KEYS = new Keys("app/holdfast/");

    @ParameterizedTest
    @ValueSource(strings = {"", "orders/42", "/", "..", "a b", "\u00e4\u20ac\ud83d\ude00", "\u0000"})
    void aNameIsReadAsItWasWritten(String name) {
        RecordKey key = new RecordKey(Kind.LOCK, name);
        assertThat(KEYS.name(KEYS.record(key))).contains(key);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void namesOfDifferentKindsAreDifferentKeys(Kind kind) {
        RecordKey key = new RecordKey(kind, "n");
        assertThat(KEYS.name(KEYS.record(key))).contains(key);
        for (Kind other : Kind.values()) {
            assertThat(KEYS.record(new RecordKey(other, "n")).equals(KEYS.record(key)))
                    .isEqualTo(other == kind);
        }
    }

    @Test
    void aKeyOfAnotherProgramHasNoName() {
        assertThat(KEYS.name(ByteString.copyFromUtf8("app/holdfast/r/"))).isEmpty();
        assertThat(KEYS.name(ByteString.copyFromUtf8("app/holdfast/r/xn"))).isEmpty();
    }

    @Test
    void aRangeHasAllKeysThatBeginWithAPrefixAndNoOthers() {
        ByteString prefix = KEYS.record(new RecordKey(Kind.LOCK, "orders/"));
        ByteString end = Keys.endOf(prefix);
        var order = ByteString.unsignedLexicographicalComparator();
        for (String inside : new String[] {"orders/", "orders/42", "orders/\ud83d\ude00"}) {
            assertThat(order.compare(KEYS.record(new RecordKey(Kind.LOCK, inside)), end))
                    .as(inside)
                    .isNegative();
        }
        for (String outside : new String[] {"orders0", "ordert"}) {
            assertThat(order.compare(KEYS.record(new RecordKey(Kind.LOCK, outside)), end))
                    .as(outside)
                    .isNotNegative();
        }
        assertThat(order.compare(Keys.after(prefix), prefix)).isPositive();
    }
}
