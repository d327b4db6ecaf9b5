package io.holdfast.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.config.HoldfastConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every block of Java or Kotlin in README.md and docs is a marked region of an example, to the letter but for the indentation;
 * every YAML block is a configuration that is accepted.
 */
class DocsTest {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(?:java|kotlin) *\\n(.*?)^```");
    private static final Pattern YAML = Pattern.compile("(?ms)^```yaml *\\n(.*?)^```");
    private static final Pattern FENCE = Pattern.compile("(?m)^```(.*)$");
    private static final Pattern REGION = Pattern.compile("(?ms)^ *// region \\S+\\n(.*?)^ *// endregion$");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");

    private final Path root = root();

    @Test
    void javaBlocksAreRegionsOfExamples() throws IOException {
        Set<String> regions = regions();
        List<String> strangers = new ArrayList<>();
        for (Path page : pages()) {
            for (String block : found(BLOCK, page)) {
                if (!regions.contains(unindented(block))) {
                    strangers.add(root.relativize(page) + ":\n" + block);
                }
            }
        }
        assertThat(strangers).as("Java blocks that no example has").isEmpty();
    }

    @Test
    void regionsAreShown() throws IOException {
        Set<String> shown = new HashSet<>();
        for (Path page : pages()) {
            found(BLOCK, page).forEach(block -> shown.add(unindented(block)));
        }
        assertThat(regions()).as("regions that no page shows").isNotEmpty().isSubsetOf(shown);
    }

    /** What is set in the environment is another matter; here it is in the text. */
    @Test
    void yamlBlocksAreConfigurations(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("holdfast.yaml");
        int blocks = 0;
        for (Path page : pages()) {
            for (String block : found(YAML, page)) {
                Files.writeString(file, block.replaceAll("\\$\\{[A-Z_]+}", "secret"));
                HoldfastConfig.read(file).lazy().build().close();
                blocks++;
            }
        }
        assertThat(blocks).isPositive();
    }

    /** One that a test reads, or one that no compiler knows. */
    @Test
    void everyBlockSaysWhatItIs() throws IOException {
        for (Path page : pages()) {
            List<String> fences = found(FENCE, page);
            for (int i = 0; i < fences.size(); i += 2) {
                assertThat(fences.get(i))
                        .as(root.relativize(page).toString())
                        .isIn("java", "kotlin", "yaml", "properties", "sh", "sql", "xml", "gradle", "text", "");
            }
        }
    }

    @Test
    void linksLeadSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            for (String link : found(LINK, page)) {
                if (!Files.exists(page.resolveSibling(link))) {
                    broken.add(root.relativize(page) + ": " + link);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    private Set<String> regions() throws IOException {
        Set<String> regions = new HashSet<>();
        for (String folder : List.of("examples", "spring", "bridges")) {
            for (Path file : below(root.resolve(folder), ".java", ".kt")) {
                found(REGION, file).forEach(region -> regions.add(unindented(region)));
            }
        }
        return regions;
    }

    private List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(below(root.resolve("docs"), ".md"));
        pages.add(root.resolve("README.md"));
        return pages;
    }

    private static List<Path> below(Path folder, String... suffixes) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> Arrays.stream(suffixes).anyMatch(file.toString()::endsWith))
                    .toList();
        }
    }

    private static List<String> found(Pattern pattern, Path file) throws IOException {
        Matcher matcher = pattern.matcher(Files.readString(file));
        return matcher.results().map(result -> result.group(1)).toList();
    }

    private static String unindented(String code) {
        return code.stripTrailing().stripIndent();
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("mvnw"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
