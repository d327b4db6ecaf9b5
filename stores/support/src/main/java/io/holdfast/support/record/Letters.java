package io.holdfast.support.record;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.spi.Share.Mode;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** The letters by which the text of a record names modes and flags. */
final class Letters {

    static final char UNCLAIMED = 'u';
    static final char LINGERS = 'k';
    static final char FAIR = 'f';
    static final String APPLIED = "y";
    static final String NOT_APPLIED = "n";

    private static final Map<Mode, String> MODES = new EnumMap<>(Map.of(
            Mode.LOCK, "L",
            Mode.WRITE, "W",
            Mode.READ, "R",
            Mode.PERMITS, "P"));

    private Letters() {}

    static String of(Mode mode) {
        return Objects.requireNonNull(MODES.get(mode));
    }

    static String flag(boolean set, char letter) {
        return set ? String.valueOf(letter) : "";
    }

    /** Returns the mode of a word that consists of a mode and some of the given flags. */
    static Mode mode(String word, String flags) {
        Mode mode = MODES.entrySet().stream()
                .filter(each -> word.startsWith(each.getValue()))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(quoted(word) + " begins with no known mode"));
        if (!word.substring(1).chars().allMatch(letter -> flags.indexOf(letter) >= 0)) {
            throw new IllegalArgumentException(quoted(word) + " has an unknown flag");
        }
        return mode;
    }
}
