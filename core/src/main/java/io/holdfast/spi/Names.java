package io.holdfast.spi;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The form of names in texts for people: in logs, exceptions and consoles. A name may come from the input of a user, and must not
 * end a line, move a cursor, or hide what follows. Events, reports and JSON have the exact name.
 */
public final class Names {

    /** The number of code points after which a name is cut. */
    public static final int MAX_SHOWN = 200;

    /** Control and format characters, separators of lines, and halves of a surrogate pair. */
    private static final Pattern OBEYED = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\u2028\\u2029]");

    private Names() {}

    /** Returns a name in quotes: {@linkplain #printable printable}, and cut after {@value #MAX_SHOWN} code points. */
    public static String quoted(String name) {
        boolean whole = name.codePointCount(0, name.length()) <= MAX_SHOWN;
        return "'" + printable(whole ? name : name.substring(0, name.offsetByCodePoints(0, MAX_SHOWN)) + "...") + "'";
    }

    /** Returns a text in which each character that a terminal or a log would obey is replaced by its number, as in a string of Java. */
    public static String printable(String text) {
        return OBEYED.matcher(text)
                .replaceAll(sign -> Matcher.quoteReplacement(
                        String.format("\\u%04x", sign.group().codePointAt(0))));
    }
}
