package io.holdfast.spring.boot;

import static io.holdfast.spi.Names.quoted;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.PropertyMatches;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;

/** Says which property an unknown {@code holdfast.} property most likely should be. */
final class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException>
        implements Ordered {

    private static final String PREFIX = "holdfast.";
    private static final int MOST_CHANGES = 3;

    /** The prefixes of the properties of Holdfast. */
    private static final Pattern PARENT =
            Pattern.compile("holdfast\\.((locked|metrics|tracing|endpoint)\\.|clients\\.[^.]+\\.)?");

    /** Before the analyzer of Spring Boot, which only lists the properties. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
        Set<ConfigurationProperty> unknown = cause.getUnboundProperties();
        if (unknown.stream().anyMatch(property -> !property.getName().toString().startsWith(PREFIX))) {
            return null;
        }
        StringBuilder text = new StringBuilder();
        unknown.forEach(property -> text.append(describe(property)));
        return new FailureAnalysis(text.toString(), "Correct or remove it.", cause);
    }

    private static String describe(ConfigurationProperty property) {
        String name = property.getName().toString();
        return "There is no property " + quoted(name) + ", which is set in " + property.getOrigin() + "."
                + suggestion(name) + System.lineSeparator();
    }

    private static String suggestion(String name) {
        String parent = name.substring(0, name.lastIndexOf('.') + 1);
        String last = name.substring(parent.length());
        if (!PARENT.matcher(parent).matches()) {
            return "";
        }
        String[] similar = PropertyMatches.forField(camelCase(last), owner(parent), MOST_CHANGES)
                .getPossibleMatches();
        return similar.length == 0
                ? ""
                : " Did you mean "
                        + Arrays.stream(similar)
                                .map(field -> "'" + parent + kebabCase(field) + "'")
                                .collect(Collectors.joining(" or "))
                        + "?";
    }

    /** Returns the type that has the properties with the given prefix. */
    private static Class<?> owner(String parent) {
        return switch (parent) {
            case PREFIX -> HoldfastProperties.class;
            case PREFIX + "locked." -> HoldfastProperties.Annotations.class;
            case PREFIX + "metrics." -> HoldfastProperties.Metrics.class;
            case PREFIX + "tracing." -> HoldfastProperties.Tracing.class;
            case PREFIX + "endpoint." -> HoldfastProperties.Endpoint.class;
            default -> ClientOptions.class;
        };
    }

    private static String camelCase(String kebab) {
        return Pattern.compile("-(.)")
                .matcher(kebab)
                .replaceAll(found -> found.group(1).toUpperCase(Locale.ROOT));
    }

    private static String kebabCase(String camel) {
        return camel.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
