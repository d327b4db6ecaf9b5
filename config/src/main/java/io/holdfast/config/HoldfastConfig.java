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
 * Reads the options of a client from a file.
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
 * <p>The options are those of {@link HoldfastBuilder} that can be written down, by the same names; what is not there has its default,
 * and what is set on the builder afterwards goes before the file. Times are written {@code 500ms}, {@code 30s}, {@code 5m},
 * {@code 12h}, {@code 7d}, or as in ISO 8601, {@code PT30S}.
 *
 * <p>{@code ${NAME}} is replaced by that variable of the environment, which has to be set; {@code ${NAME:-text}} by the text if it is not
 * set, or empty. {@code $$} is a dollar sign. In a URI, signs that mean something there are written {@code %XX}, also in a variable.
 *
 * <p>Whatever is wrong with a file is an {@link IllegalArgumentException} that names the file and the option, and never shows the
 * URI, as there may be a password in it.
 */
public final class HoldfastConfig {

    private HoldfastConfig() {}

    /**
     * What a file says: one of properties if its name ends in {@code .properties}, else YAML.
     *
     * @throws UncheckedIOException if it cannot be read
     * @throws IllegalArgumentException if it is neither, has an unknown option, a value that cannot be, or wants a variable that is not set
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
            throw new IllegalArgumentException(file + ": it is no properties file: " + e.getMessage(), e);
        }
        Map<String, String> values = new TreeMap<>();
        read.stringPropertyNames().forEach(name -> values.put(name, read.getProperty(name)));
        return values;
    }
}
