package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.architecture.PublishedModules.Module;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A name gets into a text by {@code Names.quoted} only, because a name that comes from the input of a user could forge a line of a
 * log.
 */
class ShownNamesTest {

    /** A quote, and then something that is called a name, or the message of one. */
    private static final Pattern BARE = Pattern.compile(
            "'\"\\s*\\+\\s*(?:\\w+(?:\\([^()]*\\))?\\.)*\\w*[nN]ame(?:\\([^()]*\\))?\\s*\\+|'\\{\\}'.*[nN]ame");

    @Test
    void quotesEachNameByOneFunction() throws IOException {
        List<String> bare = new ArrayList<>();
        for (Module module : PublishedModules.all()) {
            for (Path source : module.sources()) {
                bare(Files.readString(source)).forEach(text -> bare.add(source.getFileName() + ": " + text));
            }
        }
        assertThat(bare).isEmpty();
    }

    /** The rule itself, on texts that break it in each way. */
    @Test
    void findsANameThatIsNotQuoted() {
        assertThat(bare("""
                "lock '" + name + "' is free"
                "lock '" + lock.name() + "'"
                "permit '"
                        + first.names().next().lockName() + "'"
                LOG.warn("election '{}': {}", election.name(), text)
                "lock " + quoted(name) + " is free"
                "there is no case '" + label + "'"
                """)).hasSize(4);
    }

    private static List<String> bare(String source) {
        return BARE.matcher(source).results().map(MatchResult::group).toList();
    }
}
