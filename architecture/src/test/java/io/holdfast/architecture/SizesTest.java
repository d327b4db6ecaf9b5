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

/**
 * The limits on the lines of code of each package. A limit is the size when it was set, plus 2 %, and at least 10 lines. A change
 * that makes a package smaller lowers its limit. A fix may raise it, and its commit says so. The target is an estimate of where
 * the size is to end.
 */
class SizesTest {

    private static final String CORE = "core/src/main/java/io/holdfast/";
    private static final String REDIS = "stores/redis/src/main/java/io/holdfast/redis/";

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        // package, limit, target
        "'', 623, 570",
        "spi, 682, 600",
        "internal, 370, 450",
        "internal/access, 213, 90",
        "internal/slot, 3117, 1950",
        "internal/engine, 2255, 1500",
        "internal/lock, 871, 1000",
        "internal/counted, 774, 560",
        "recipes, 2749, 2050"
    })
    void aRoomOfCoreKeepsItsSize(String room, int limit, int target) throws IOException {
        check(CORE + room, limit, target);
    }

    /** The targets are estimates, 3 050 lines in all. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "'', 166, 140",
        "cluster, 755, 610",
        "interop, 261, 220",
        "store, 788, 690",
        "script, 678, 540",
        "connection, 1657, 850"
    })
    void aPackageOfTheRedisStoreKeepsItsSize(String name, int limit, int target) throws IOException {
        check(REDIS + name, limit, target);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        // folder, limit, target
        "stores/support/src/main/java/io/holdfast/support/record, 1655, 1369",
        "stores/support/src/main/java/io/holdfast/support/store, 739, 520",
        "stores/support/src/main/java/io/holdfast/support/session, 1104, 700",
        "stores/zookeeper/src/main/java/io/holdfast/zookeeper, 126, 110",
        "stores/zookeeper/src/main/java/io/holdfast/zookeeper/connection, 1490, 900",
        "stores/etcd/src/main/java/io/holdfast/etcd, 119, 110",
        "stores/etcd/src/main/java/io/holdfast/etcd/connection, 1477, 900",
        "stores/mongodb/src/main/java/io/holdfast/mongodb, 110, 100",
        "stores/mongodb/src/main/java/io/holdfast/mongodb/record, 978, 700",
        "stores/memory/src/main/java/io/holdfast/memory, 276, 300",
        "stores/jdbc/src/main/java/io/holdfast/jdbc, 582, 480",
        "stores/jdbc/src/main/java/io/holdfast/jdbc/connection, 1282, 500",
        "stores/jdbc/src/main/java/io/holdfast/jdbc/sql, 1902, 900",
        "stores/jdbc/src/main/java/io/holdfast/jdbc/record, 1295, 900",
        "micrometer/src/main/java/io/holdfast/micrometer, 331, 300",
        "spring/starter/src/main/java/io/holdfast/spring, 66, 60",
        "spring/starter/src/main/java/io/holdfast/spring/aop, 1183, 900",
        "spring/starter/src/main/java/io/holdfast/spring/boot, 908, 600",
        "bridges/redisson-api/src/main/java/io/holdfast/redisson/api, 1425, 900",
        "bridges/shedlock/src/main/java/io/holdfast/shedlock, 229, 200",
        "bridges/reactor/src/main/java/io/holdfast/reactor, 207, 180",
        "bridges/spring-integration/src/main/java/io/holdfast/spring/integration, 69, 60"
    })
    void aRoomKeepsItsSize(String folder, int limit, int target) throws IOException {
        check(folder, limit, target);
    }

    private static void check(String folder, int limit, int target) throws IOException {
        int lines = 0;
        for (Path source : sources(PublishedModules.root().resolve(folder))) {
            lines += CodeLines.count(Files.readAllLines(source));
        }
        System.out.printf("code lines of %s: %d of %d, target %d%n", folder, lines, limit, target);
        assertThat(lines).as("code lines of " + folder).isPositive().isLessThanOrEqualTo(limit);
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
