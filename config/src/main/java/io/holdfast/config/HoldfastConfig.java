package io.holdfast.config;

import io.holdfast.HoldfastBuilder;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * A reader of the options of a client from a file.
 *
 * <pre>{@code
 * # holdfast.yaml
 * uri: redis://:${REDIS_PASSWORD}@${REDIS_HOST:-localhost}
 * name: orders
 * lease: 20s
 * safety: replicated(1)
 * }</pre>
 *
 * <pre>{@code
 * try (Holdfast holdfast = HoldfastConfig.read(Path.of("holdfast.yaml")).build()) {
 *     ...
 * }
 * }</pre>
 *
 * <p>The options are those of {@link HoldfastBuilder} that have a text form, by the same names. An option that the file does
 * not contain has its default. An option that is set on the builder afterwards overrides the file. Times are written as
 * {@code 500ms}, {@code 30s}, {@code 5m}, {@code 12h}, {@code 7d}, or in ISO 8601 form as {@code PT30S}.
 *
 * <p>{@code ${NAME}} is replaced by that environment variable, which has to be set. {@code ${NAME:-text}} is replaced by the
 * text if the variable is not set or is empty. {@code $$} is a dollar sign. In a URI, write reserved characters as {@code %XX},
 * also in a variable.
 *
 * <p>An invalid file causes an {@link IllegalArgumentException} that names the file and the option. It never shows the URI,
 * because the URI may contain a password.
 */
public final class HoldfastConfig {

    private HoldfastConfig() {}

    /**
     * Reads a file. It is a properties file if its name ends in {@code .properties}, and otherwise a YAML file.
     *
     * @throws UncheckedIOException if the file cannot be read
     * @throws IllegalArgumentException if the file has the wrong format, an unknown option, an invalid value, or a variable
     *     that is not set
     */
    public static HoldfastBuilder read(Path file) {
        return read(file, System.getenv());
    }

    static HoldfastBuilder read(Path file, Map<String, String> environment) {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the configuration " + file, e);
        }
        Map<String, String> values = file.toString().endsWith(".properties")
                ? properties(file.toString(), text)
                : Yaml.read(file.toString(), text);
        return new Settings(file.toString(), values, environment).builder();
    }

    private static Map<String, String> properties(String file, String text) {
        Properties read = new Properties();
        try {
            read.load(new StringReader(text));
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": it is not a properties file: " + e.getMessage(), e);
        }
        Map<String, String> values = new TreeMap<>();
        read.stringPropertyNames().forEach(name -> values.put(name, read.getProperty(name)));
        return values;
    }
}
