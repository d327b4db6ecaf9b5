package io.holdfast.config;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The content of a file, before variables are replaced.
 *
 * @param file the name of the file, for errors
 * @param values the values by the names of the options
 * @param environment the environment variables
 */
record Settings(String file, Map<String, String> values, Map<String, String> environment) {

    private static final Pattern DOLLAR = Pattern.compile("\\$(?:(\\$)|\\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\\}|)");

    HoldfastBuilder builder() {
        HoldfastBuilder builder = Holdfast.builder();
        Map<String, String> all = new HashMap<>();
        values.forEach((name, value) -> {
            if (Option.named(name).isEmpty()) {
                throw unknown(name);
            }
            all.put(name, replaced(name, value));
        });
        for (Option option : Option.values()) {
            builder = all.containsKey(option.shown()) ? set(option, all, builder) : builder;
        }
        return builder;
    }

    private IllegalArgumentException unknown(String name) {
        return new IllegalArgumentException(file + ": there is no option " + quoted(name) + "; did you mean '"
                + Option.nearest(name).shown() + "'?");
    }

    private HoldfastBuilder set(Option option, Map<String, String> all, HoldfastBuilder builder) {
        try {
            return option.set(builder, all);
        } catch (IllegalArgumentException e) {
            String shown = option == Option.URI ? "" : " as '" + all.get(option.shown()) + "'";
            throw new IllegalArgumentException(
                    file + ": '" + option.shown() + "' cannot be used" + shown + ": " + e.getMessage(), e);
        }
    }

    private String replaced(String name, String value) {
        StringBuilder text = new StringBuilder();
        Matcher found = DOLLAR.matcher(value);
        while (found.find()) {
            String other = found.group(1) != null ? "$" : variable(name, found);
            found.appendReplacement(text, Matcher.quoteReplacement(other));
        }
        return found.appendTail(text).toString();
    }

    private String variable(String name, Matcher found) {
        String variable = found.group(2);
        if (variable == null) {
            throw new IllegalArgumentException(file + ": in " + quoted(name)
                    + ", a $ must be followed by {NAME} or {NAME:-text}; $$ is a dollar sign");
        }
        String set = environment.getOrDefault(variable, "");
        String otherwise = found.group(3);
        if (set.isEmpty() && otherwise == null && !environment.containsKey(variable)) {
            throw new IllegalArgumentException(file + ": " + quoted(name) + " needs the variable " + variable
                    + ", which is not set; ${" + variable + ":-text} sets a default");
        }
        return set.isEmpty() && otherwise != null ? otherwise : set;
    }
}
