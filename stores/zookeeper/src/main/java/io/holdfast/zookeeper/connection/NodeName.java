package io.holdfast.zookeeper.connection;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The text of a node's name. ZooKeeper does not allow a slash, control characters, and characters outside the basic plane in a
 * name. They are written as the bytes of UTF-8 in hex, each behind a percent sign.
 */
final class NodeName {

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private NodeName() {}

    static String encode(String text) {
        StringBuilder name = new StringBuilder();
        text.codePoints().forEach(each -> {
            if (isPlain(each)) {
                name.appendCodePoint(each);
            } else {
                for (byte one : Character.toString(each).getBytes(StandardCharsets.UTF_8)) {
                    HEX.toHexDigits(name.append('%'), one);
                }
            }
        });
        return name.toString();
    }

    private static boolean isPlain(int code) {
        boolean ascii = code >= ' ' && code < 0x7f && code != '/' && code != '%';
        return ascii || (code > 0x9f && code < 0xd800);
    }

    /**
     * Returns the text of a name.
     *
     * @throws IllegalArgumentException if it was not encoded by this class
     */
    static String decode(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        byte[] text = new byte[bytes.length];
        int length = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '%') {
                if (i + 2 >= bytes.length) {
                    throw new IllegalArgumentException("no name of a lock: '" + name + "'");
                }
                text[length++] = (byte) HexFormat.fromHexDigits(name(bytes, i + 1));
                i += 2;
            } else {
                text[length++] = bytes[i];
            }
        }
        return new String(text, 0, length, StandardCharsets.UTF_8);
    }

    private static String name(byte[] bytes, int from) {
        return new String(bytes, from, 2, StandardCharsets.US_ASCII);
    }
}
