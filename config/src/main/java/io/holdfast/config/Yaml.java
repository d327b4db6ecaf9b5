package io.holdfast.config;

import static io.holdfast.spi.Names.quoted;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** A parser of a YAML file of names and single values. */
final class Yaml {

    private Yaml() {}

    static Map<String, String> read(String file, String text) {
        Object root = load(file, text);
        if (root == null) {
            return Map.of();
        }
        if (!(root instanceof Map<?, ?> options)) {
            throw new IllegalArgumentException(file + ": it has no options; each is a line like 'lease: 30s'");
        }
        Map<String, String> values = new LinkedHashMap<>();
        options.forEach((name, value) -> values.put(String.valueOf(name), single(file, String.valueOf(name), value)));
        return values;
    }

    private static @Nullable Object load(String file, String text) {
        LoadSettings settings = LoadSettings.builder()
                .setLabel(file)
                .setAllowDuplicateKeys(false)
                .build();
        try {
            return new Load(settings).loadFromString(text);
        } catch (MarkedYamlEngineException e) {
            // the parser's message and its excerpt may contain a password
            String where = e.getProblemMark().map(Yaml::where).orElse("");
            throw new IllegalArgumentException(
                    file + where + ": it is not YAML; put a value with special characters in quotes");
        } catch (YamlEngineException e) {
            throw new IllegalArgumentException(file + ": it is not YAML, or has more than one document");
        }
    }

    private static String where(Mark mark) {
        return ", line " + (mark.getLine() + 1);
    }

    private static String single(String file, String name, @Nullable Object value) {
        if (value == null || value instanceof Map || value instanceof Collection) {
            throw new IllegalArgumentException(file + ": " + quoted(name) + " has "
                    + (value == null ? "no value" : "several values") + "; it needs exactly one");
        }
        return value.toString();
    }
}
