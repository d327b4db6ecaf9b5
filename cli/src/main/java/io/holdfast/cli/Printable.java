package io.holdfast.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The printable form of texts that others have chosen, such as names. It contains no characters that a terminal would obey. */
final class Printable {

    private static final Pattern OBEYED = Pattern.compile("[\\p{Cc}\\p{Cf}\\u2028\\u2029]");

    private Printable() {}

    static String text(String any) {
        return OBEYED.matcher(any)
                .replaceAll(sign -> Matcher.quoteReplacement(
                        String.format("\\u%04x", sign.group().codePointAt(0))));
    }
}
