package io.holdfast.config;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A parser of times as people write them. */
final class Times {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    private Times() {}

    /**
     * @throws IllegalArgumentException if the text is not a time
     */
    static Duration parse(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches() ? of(Long.parseLong(form.group(1)), form.group(2)) : ofIso(text);
    }

    private static Duration of(long amount, String unit) {
        return switch (unit) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
        };
    }

    private static Duration ofIso(String text) {
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("it must be a time like 500ms, 30s, 5m, 12h, 7d or PT30S", e);
        }
    }
}
