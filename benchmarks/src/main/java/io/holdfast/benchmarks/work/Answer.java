package io.holdfast.benchmarks.work;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * The measurements of one worker in one round.
 *
 * @param operations the number of operations
 * @param nanos their total time
 * @param least the operations of the slowest thread
 * @param violations the number of violations of mutual exclusion
 * @param latency the latencies, in ns
 * @param extra further figures of the case, by name
 */
public record Answer(
        long operations, long nanos, long least, long violations, Histogram latency, Map<String, Double> extra) {

    private static final int DIGITS = 3;

    static Histogram newHistogram() {
        return new Histogram(DIGITS);
    }

    static Answer of(long operations, long nanos, long violations, Histogram latency, Map<String, Double> extra) {
        return new Answer(operations, nanos, operations, violations, latency, extra);
    }

    String toLine() throws IOException {
        ByteBuffer packed = ByteBuffer.allocate(latency.getNeededByteBufferCapacity());
        int length = latency.encodeIntoCompressedByteBuffer(packed);
        byte[] bytes = new byte[length];
        packed.rewind().get(bytes);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("operations", operations);
        fields.put("nanos", nanos);
        fields.put("least", least);
        fields.put("violations", violations);
        fields.put("latency", Base64.getEncoder().encodeToString(bytes));
        fields.put("extra", extra);
        return JSON.std.asString(fields);
    }

    /** Parses a line that {@code toLine} returned. */
    public static Answer of(String line) throws IOException {
        Map<String, Object> fields = JSON.std.mapFrom(line);
        Map<String, Double> extra = new LinkedHashMap<>();
        ((Map<?, ?>) fields.getOrDefault("extra", Map.of()))
                .forEach((name, value) -> extra.put((String) name, ((Number) value).doubleValue()));
        return new Answer(
                number(fields, "operations"),
                number(fields, "nanos"),
                number(fields, "least"),
                number(fields, "violations"),
                unpack(String.valueOf(fields.get("latency"))),
                extra);
    }

    private static long number(Map<String, Object> fields, String name) {
        if (fields.get(name) instanceof Number number) {
            return number.longValue();
        }
        throw new IllegalArgumentException("no " + name + " in " + fields);
    }

    private static Histogram unpack(String text) throws IOException {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
        } catch (DataFormatException e) {
            throw new IOException("a histogram that cannot be read", e);
        }
    }
}
