package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.architecture.PublishedModules.Module;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every error text that the documentation quotes is in the sources. Three dots stand for what differs. */
class QuotedTextsTest {

    private static final Pattern TABLE = Pattern.compile("(?ms)^\\| (?:text|error text) \\|.*?\\n\\n");
    private static final Pattern CELL = Pattern.compile("(?m)^\\| (.*?) \\| ");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final Pattern DIFFERS = Pattern.compile("\\.\\.\\.|: ?|'");
    private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");

    @Test
    void everyTextThatTheDocumentationQuotesIsInTheSources() throws IOException {
        String sources = sources();
        List<String> strangers = new ArrayList<>();
        int quoted = 0;
        for (Path page : pages()) {
            for (String text : quoted(Files.readString(page))) {
                quoted++;
                if (!DIFFERS.splitAsStream(text).map(String::strip).allMatch(sources::contains)) {
                    strangers.add(page.getFileName() + ": " + text);
                }
            }
        }
        assertThat(quoted).isGreaterThan(50);
        assertThat(strangers).as("texts that nothing says any more").isEmpty();
    }

    /** The first cells of the tables of texts. */
    private static List<String> quoted(String page) {
        return TABLE.matcher(page)
                .results()
                .flatMap(table -> CELL.matcher(table.group()).results())
                .flatMap(cell -> QUOTED.matcher(cell.group(1)).results())
                .map(text -> text.group(1))
                .toList();
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> pages = Files.list(PublishedModules.root().resolve("docs"))) {
            return pages.filter(page -> page.toString().endsWith(".md")).toList();
        }
    }

    /** With what the compiler makes one text of. */
    private static String sources() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Module module : PublishedModules.all()) {
            try (Stream<Path> files = Files.walk(module.folder().resolve("src/main"))) {
                for (Path source : files.filter(Files::isRegularFile).toList()) {
                    all.append(Files.readString(source));
                }
            }
        }
        Matcher parts = CONCATENATION.matcher(all);
        return parts.replaceAll("");
    }
}
