package io.holdfast.spi;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The form of a store's URI in texts for people. */
public final class StoreUri {

    private static final Pattern HEAD =
            Pattern.compile("(?:jdbc:[A-Za-z0-9]+:(?:[A-Za-z]+://)?|[A-Za-z][A-Za-z0-9+.-]*:/*)?");

    /** A colon outside brackets that is not followed by a port number. */
    private static final Pattern NO_PORT = Pattern.compile("(?s)(?<!\\[[^]]{0,60}):(?!\\d{1,5}(?:[,/]|$)).*");

    private StoreUri() {}

    /**
     * Masks the parts of a URI that may be secret, even if the text is not a valid URI.
     *
     * <p>It masks everything up to the last {@code @}, and all options. If there is no {@code @}, it also masks the text after
     * a colon that is not a port.
     */
    public static String masked(String uri) {
        Matcher head = HEAD.matcher(uri);
        String shown = head.lookingAt() ? head.group() : "";
        String rest = uri.substring(shown.length());
        int at = rest.lastIndexOf('@');
        int options = Math.min(indexOf(rest, '?'), indexOf(rest, ';'));
        // an unescaped password may contain text that looks like the start of the options, and an option may contain
        // an @
        if (options < at) {
            return shown + "***";
        }
        String address = rest.substring(at + 1, options);
        // a login that was cut off before its @ has the password at the position of a port
        boolean isCutOff = at < 0 && (shown.endsWith("/") || !shown.startsWith("jdbc:"));
        return shown
                + (at < 0 ? "" : "***@")
                + (isCutOff ? NO_PORT.matcher(address).replaceFirst(":***") : address)
                + (options < rest.length() ? rest.charAt(options) + "***" : "");
    }

    /** Returns the index of the character, or the length of the text if it does not contain the character. */
    private static int indexOf(String text, char wanted) {
        int index = text.indexOf(wanted);
        return index < 0 ? text.length() : index;
    }
}
