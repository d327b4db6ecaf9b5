package io.holdfast.spi;

import static io.holdfast.spi.Names.printable;
import static io.holdfast.spi.Names.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Names in texts for people. */
class NamesTest {

    @Test
    void leavesAnOrdinaryNameAsItIs() {
        assertThat(quoted("order/42 größe 🔒")).isEqualTo("'order/42 größe 🔒'");
    }

    @Test
    void escapesWhatALogOrATerminalWouldObey() {
        assertThat(printable("a\r\nb\t\u001b[2K\u007f\u009b\u0085\u2028\u2029\u200b\u202e"))
                .isEqualTo("a\\u000d\\u000ab\\u0009\\u001b[2K\\u007f\\u009b\\u0085\\u2028\\u2029\\u200b\\u202e");
    }

    @Test
    void escapesHalfOfASurrogatePair() {
        assertThat(quoted("a\ud83db")).isEqualTo("'a\\ud83db'");
    }

    @Test
    void cutsALongNameBetweenCodePoints() {
        String longest = "🔒".repeat(Names.MAX_SHOWN);
        assertThat(quoted(longest)).isEqualTo("'" + longest + "'");
        assertThat(quoted(longest + "🔒")).isEqualTo("'" + longest + "...'");
    }
}
