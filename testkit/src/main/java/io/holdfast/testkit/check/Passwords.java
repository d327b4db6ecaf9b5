package io.holdfast.testkit.check;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Passwords with all printable characters, unescaped, and a check that texts show no part of them. */
public final class Passwords {

    private static final List<String> PARTS = List.of("aLpHa", "bRaVo", "dElTa");

    private Passwords() {}

    /** Returns one password for each printable character, and one for each pair of characters that have a meaning in a URI. */
    public static Stream<String> all() {
        Stream<String> each =
                IntStream.range(' ', 127).mapToObj(Character::toString).map(one -> joined(one, one));
        Stream<String> pairs = special().flatMap(first -> special().map(second -> joined(first, second)));
        return Stream.concat(each, pairs);
    }

    private static Stream<String> special() {
        return ":/?#[]@&=;,%\\ ".chars().mapToObj(Character::toString);
    }

    private static String joined(String first, String second) {
        return PARTS.get(0) + first + PARTS.get(1) + second + PARTS.get(2);
    }

    /** Fails if the text shows a part of a password. */
    public static void requireHidden(String password, String text) {
        for (String part : PARTS) {
            if (text.contains(part)) {
                throw new AssertionError("the password " + password + " is shown in: " + text);
            }
        }
    }

    /** Fails if the error, a cause, or a suppressed one shows a part of a password. */
    public static void requireHidden(String password, Throwable error) {
        StringWriter all = new StringWriter();
        error.printStackTrace(new PrintWriter(all));
        requireHidden(password, all.toString());
    }
}
