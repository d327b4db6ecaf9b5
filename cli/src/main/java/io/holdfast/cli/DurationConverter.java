package io.holdfast.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A converter of times in the form that people write: {@code 500us}, {@code 2ms}, {@code 10s}, {@code 5m}. */
final class DurationConverter implements ITypeConverter<Duration> {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(us|ms|s|m)");

    @Override
    public Duration convert(String value) {
        Matcher form = FORM.matcher(value);
        if (!form.matches()) {
            throw new TypeConversionException("'" + value + "' is not a time like 500us, 2ms, 10s or 5m");
        }
        return of(Long.parseLong(form.group(1)), form.group(2));
    }

    private static Duration of(long amount, String unit) {
        return switch (unit) {
            case "us" -> Duration.ofNanos(amount * 1_000);
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            default -> Duration.ofMinutes(amount);
        };
    }
}
