package io.holdfast.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The style sheet of the plots. */
final class Css {

    private Css() {}

    static String of(String name) throws IOException {
        try (InputStream css = Css.class.getResourceAsStream(name + ".css")) {
            if (css == null) {
                throw new IOException(name + ".css is not on the class path");
            }
            return new String(css.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
