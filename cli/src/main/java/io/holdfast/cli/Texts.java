package io.holdfast.cli;

import static io.holdfast.spi.Names.printable;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.jr.ob.JSON;
import io.holdfast.LockReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The text and JSON forms that all output shares. */
final class Texts {

    static final String NONE = "-";

    private Texts() {}

    /** Returns the first client, and how many others there are. */
    static String names(List<LockReport.Client> clients) {
        LockReport.Client first = clients.get(0);
        String name = printable(first.name().orElse(first.id()));
        return clients.size() == 1 ? name : name + " and " + (clients.size() - 1) + " more";
    }

    static String client(LockReport.Client client) {
        return printable(client.toString());
    }

    static String number(OptionalLong value) {
        return value.isPresent() ? Long.toString(value.getAsLong()) : NONE;
    }

    static String time(Duration value) {
        return String.format("%.1f s", value.toMillis() / 1000.0);
    }

    static Map<String, @Nullable Object> asMap(LockReport.Client client) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("client", client.id());
        map.put("name", client.name().orElse(null));
        map.put("host", client.host().orElse(null));
        map.put("pid", client.pid().isPresent() ? client.pid().getAsLong() : null);
        return map;
    }

    static String json(Object value) {
        JsonFactory ascii =
                JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
        try {
            return JSON.builder(ascii)
                    .enable(JSON.Feature.PRETTY_PRINT_OUTPUT, JSON.Feature.WRITE_NULL_PROPERTIES)
                    .build()
                    .asString(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
