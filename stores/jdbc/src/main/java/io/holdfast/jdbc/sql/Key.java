package io.holdfast.jdbc.sql;

import io.holdfast.support.store.RecordKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * The primary key of a row: a letter for the kind of the name, and the name in UTF-8. As bytes, it depends on no collation.
 */
public final class Key implements Comparable<Key> {

    private final byte[] bytes;

    private Key(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns the primary key of a record. */
    public static Key of(RecordKey key) {
        return new Key((letter(key.kind()) + key.text()).getBytes(StandardCharsets.UTF_8));
    }

    private static String letter(RecordKey.Kind kind) {
        return switch (kind) {
            case LOCK -> "L";
            case SEMAPHORE -> "S";
            case LATCH -> "C";
        };
    }

    /** Returns the primary key with the given bytes. */
    static Key of(byte[] bytes) {
        return new Key(bytes);
    }

    /** Returns the key of the record. */
    public RecordKey record() {
        String text = new String(bytes, StandardCharsets.UTF_8);
        RecordKey.Kind kind = Stream.of(RecordKey.Kind.values())
                .filter(each -> text.startsWith(letter(each)))
                .findFirst()
                .orElseThrow();
        return new RecordKey(kind, text.substring(1));
    }

    /** Returns the key before all others. */
    public static Key first() {
        return new Key(new byte[0]);
    }

    byte[] bytes() {
        return bytes;
    }

    /** Returns the first key that is above all keys that begin with this one. UTF-8 has no byte of 255, so there is one. */
    Key above() {
        byte[] next = bytes.clone();
        next[next.length - 1]++;
        return new Key(next);
    }

    /** Returns the next key after this one. */
    public Key next() {
        return new Key(Arrays.copyOf(bytes, bytes.length + 1));
    }

    @Override
    public int compareTo(Key other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Key key && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
