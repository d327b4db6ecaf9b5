package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The libraries that users and the command line get by default are not older than the list of minimum versions allows. */
class MinimumVersionsTest {

    /** A line of the list. */
    private record Minimum(String group, String line, String version, String advisory, LocalDate read, String source) {

        static Minimum of(String text) {
            String[] words = text.split(" +", -1);
            return new Minimum(words[0], words[1], words[2], words[3], LocalDate.parse(words[4]), words[5]);
        }

        boolean allows(Library library) {
            int[] own = numbers(library.version);
            return Arrays.compare(own, numbers(version)) >= 0
                    || (Arrays.compare(Arrays.copyOf(own, 2), numbers(line)) != 0
                            && Arrays.compare(own, numbers(line)) > 0);
        }
    }

    /** A jar of the class path, as its place in the local repository tells. */
    private record Library(Path jar, String version) {

        static Library of(Path jar) {
            return new Library(jar, jar.getParent().getFileName().toString());
        }

        boolean isOf(String group) {
            Path folder = Path.of(group.replace('.', File.separatorChar));
            return jar.getParent().getParent().getParent().endsWith(folder);
        }
    }

    @Test
    void noLibraryIsOlderThanTheListAllows() throws IOException {
        List<Library> libraries = libraries();
        for (Minimum minimum : minimums()) {
            assertThat(libraries).as(minimum.group).anyMatch(library -> library.isOf(minimum.group));
            assertThat(libraries)
                    .filteredOn(library -> library.isOf(minimum.group))
                    .as("mended: " + minimum)
                    .allMatch(minimum::allows);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "4.1.124.Final, false",
        "4.1.125.Final, true",
        "4.1.1000.Final, true",
        "4.0.999.Final, false",
        "4.2.4.Final, true",
        "5.0.0, true"
    })
    void aLineOfTheListConcernsItsOwnReleaseLineAndThoseBefore(String version, boolean allowed) {
        Minimum minimum = Minimum.of("io.netty 4.1 4.1.125.Final CVE-2025-58057 2026-11-23 somewhere");
        Path jar = Path.of("repository", "io", "netty", "netty-codec", version, "netty-codec.jar");
        assertThat(minimum.allows(Library.of(jar))).isEqualTo(allowed);
    }

    private static List<Minimum> minimums() throws IOException {
        return Files.readAllLines(PublishedModules.root().resolve("minimum-versions.txt")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(Minimum::of)
                .toList();
    }

    private static List<Library> libraries() {
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Stream.of(path.split(Pattern.quote(File.pathSeparator), -1))
                .filter(entry -> entry.endsWith(".jar"))
                .map(entry -> Library.of(Path.of(entry)))
                .toList();
    }

    private static int[] numbers(String version) {
        return Pattern.compile("\\d+")
                .matcher(version)
                .results()
                .mapToInt(number -> Integer.parseInt(number.group()))
                .toArray();
    }
}
