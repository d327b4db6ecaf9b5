package io.holdfast.spi;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The URI of a store in texts for people. */
public final class StoreUri {

    private static final Pattern HEAD =
            Pattern.compile("(?:jdbc:[A-Za-z0-9]+:(?:[A-Za-z]+://)?|[A-Za-z][A-Za-z0-9+.-]*:/*)?");

    /** A colon outside brackets that is not followed by a port number. */
    private static final Pattern NO_PORT = Pattern.compile("(?s)(?<!\\[[^]]{0,60}):(?!\\d{1,5}(?:[,/]|$)).*");

    private StoreUri() {}

    /**
     * Masks what may be secret, also in a text that is not a correct URI: everything up to the last {@code @}, and all options. Without
     * an {@code @}, also what follows a colon and is not a port.
     */
    public static String masked(String uri) {
        Matcher head = HEAD.matcher(uri);
        String shown = head.lookingAt() ? head.group() : "";
        String rest = uri.substring(shown.length());
        int at = rest.lastIndexOf('@');
        int options = Math.min(indexOf(rest, '?'), indexOf(rest, ';'));
        // an unescaped password may contain what looks like the beginning of the options, and an option may contain an
        // @
        if (options < at) {
            return shown + "***";
        }
        String place = rest.substring(at + 1, options);
        // of a login that was cut off before its @ the password stands where a port would
        boolean isCutOff = at < 0 && (shown.endsWith("/") || !shown.startsWith("jdbc:"));
        return shown
                + (at < 0 ? "" : "***@")
                + (isCutOff ? NO_PORT.matcher(place).replaceFirst(":***") : place)
                + (options < rest.length() ? rest.charAt(options) + "***" : "");
    }

    /** The length of the text if it does not contain the character. */
    private static int indexOf(String text, char wanted) {
        int index = text.indexOf(wanted);
        return index < 0 ? text.length() : index;
    }
}
