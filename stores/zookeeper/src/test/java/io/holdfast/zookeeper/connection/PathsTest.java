package io.holdfast.zookeeper.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKey.Kind;
import java.util.Arrays;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathsTest {

    private static final Paths PATHS = new Paths("/apps/holdfast");

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "orders",
                "orders/42",
                ".",
                "..",
                "%2F",
                "a b",
                "é",
                "\u0000\u0007\u009f",
                "\ud83d\ude00",
                "\ufff0",
                "",
                "100%",
                "-7"
            })
    void aNameBecomesAPathThatZooKeeperTakesAndComesBack(String text) {
        RecordKey key = new RecordKey(Kind.LOCK, text);
        String path = PATHS.record(key);
        PathUtils.validatePath(path);
        assertThat(Paths.key(name(path))).contains(key);
        String message = PATHS.message("1a", "F " + text);
        PathUtils.validatePath(message + "0000000001");
        assertThat(Paths.message(message + "0000000001")).isEqualTo("F " + text);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void kindsHavePathsOfTheirOwn(Kind kind) {
        RecordKey key = new RecordKey(kind, "n");
        assertThat(Paths.key(name(PATHS.record(key)))).contains(key);
        Arrays.stream(Kind.values())
                .filter(other -> other != kind)
                .forEach(other ->
                        assertThat(PATHS.record(new RecordKey(other, "n"))).isNotEqualTo(PATHS.record(key)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "l%", "l%2", "l%zz"})
    void aForeignNodeIsNoRecord(String name) {
        assertThat(Paths.key(name)).isEmpty();
    }

    @Test
    void parentsComeBeforeTheirChildren() {
        assertThat(PATHS.parents())
                .startsWith("/apps", "/apps/holdfast")
                .contains("/apps/holdfast/c", "/apps/holdfast/n", "/apps/holdfast/in", "/apps/holdfast/r");
    }

    @Test
    void aNameThatIsCutOffIsNotDecoded() {
        assertThatThrownBy(() -> NodeName.decode("a%2")).isInstanceOf(IllegalArgumentException.class);
    }

    /** ZooKeeper takes the version -1 for any version. */
    @Test
    void aRecordSkipsTheVersionThatMeansAnyVersion() {
        assertThat(ZooKeeperSession.writes("/r", new byte[0], 7)).hasSize(1);
        assertThat(ZooKeeperSession.writes("/r", new byte[0], -3)).hasSize(1);
        assertThat(ZooKeeperSession.writes("/r", new byte[0], -2)).hasSize(2);
    }
}
