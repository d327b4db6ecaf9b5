package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many lines of code a room may have. A limit goes up only for a new feature. The target is an estimate of where it is to end. */
class SizesTest {

    private static final String CORE = "core/src/main/java/io/holdfast/";
    private static final String REDIS = "stores/redis/src/main/java/io/holdfast/redis/";

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        // room, today, target
        "'', 642, 570",
        "spi, 703, 600",
        "internal, 403, 450",
        "internal/access, 215, 90",
        "internal/slot, 3018, 1950",
        "internal/engine, 2269, 1500",
        "internal/lock, 1030, 1000",
        "internal/counted, 772, 560",
        "recipes, 2402, 2050"
    })
    void aRoomOfCoreKeepsItsSize(String room, int today, int target) throws IOException {
        check(CORE + room, today, target);
    }

    /** The targets are estimates, 3 050 lines in all. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "'', 166, 140",
        "cluster, 746, 610",
        "interop, 265, 220",
        "store, 830, 690",
        "script, 667, 540",
        "connection, 1043, 850"
    })
    void aPackageOfTheRedisStoreKeepsItsSize(String name, int today, int target) throws IOException {
        check(REDIS + name, today, target);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        // folder, today, target
        "stores/support/src/main/java/io/holdfast/support/record, 1647, 1369",
        "stores/support/src/main/java/io/holdfast/support/store, 528, 520",
        "stores/support/src/main/java/io/holdfast/support/session, 821, 700",
        "stores/zookeeper/src/main/java/io/holdfast/zookeeper, 126, 110",
        "stores/zookeeper/src/main/java/io/holdfast/zookeeper/connection, 1089, 900",
        "stores/etcd/src/main/java/io/holdfast/etcd, 120, 110",
        "stores/etcd/src/main/java/io/holdfast/etcd/connection, 1461, 900",
        "stores/mongodb/src/main/java/io/holdfast/mongodb, 110, 100",
        "stores/mongodb/src/main/java/io/holdfast/mongodb/record, 791, 700",
        "stores/memory/src/main/java/io/holdfast/memory, 313, 300",
        "stores/jdbc/src/main/java/io/holdfast/jdbc, 502, 480",
        "stores/jdbc/src/main/java/io/holdfast/jdbc/connection, 648, 500",
        "stores/jdbc/src/main/java/io/holdfast/jdbc/sql, 1142, 900",
        "stores/jdbc/src/main/java/io/holdfast/jdbc/record, 965, 900",
        "micrometer/src/main/java/io/holdfast/micrometer, 331, 300",
        "spring/starter/src/main/java/io/holdfast/spring, 66, 60",
        "spring/starter/src/main/java/io/holdfast/spring/aop, 1176, 900",
        "spring/starter/src/main/java/io/holdfast/spring/boot, 825, 600",
        "bridges/redisson-api/src/main/java/io/holdfast/redisson/api, 1416, 900",
        "bridges/shedlock/src/main/java/io/holdfast/shedlock, 228, 200",
        "bridges/reactor/src/main/java/io/holdfast/reactor, 207, 180",
        "bridges/spring-integration/src/main/java/io/holdfast/spring/integration, 69, 60"
    })
    void aRoomKeepsItsSize(String folder, int today, int target) throws IOException {
        check(folder, today, target);
    }

    private static void check(String folder, int today, int target) throws IOException {
        int lines = 0;
        for (Path source : sources(PublishedModules.root().resolve(folder))) {
            lines += CodeLines.count(Files.readAllLines(source));
        }
        System.out.printf("code lines of %s: %d of %d, target %d%n", folder, lines, today, target);
        assertThat(lines).as("code lines of " + folder).isPositive().isLessThanOrEqualTo(today);
    }

    private static List<Path> sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    @Test
    void blanksCommentsAndImportsDoNotCount() {
        List<String> source = List.of(
                "/* a",
                " * comment */",
                "package a;",
                "",
                "import java.util.List;",
                "",
                "// another",
                "final class A { /* and */ // code",
                "    String a = \"/* no comment\";",
                "    char b = '\"'; /* until",
                "    here */ char c = '\\'';",
                "    String d = \"\"\"",
                "        // text",
                "        \"\"\";",
                "}");
        assertThat(CodeLines.count(source)).isEqualTo(8);
    }
}
