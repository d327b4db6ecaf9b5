package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every text of the report can be read, in both color schemes. */
class ReportColorsTest {

    /** What WCAG 2 asks for text of normal size. */
    private static final double ENOUGH = 4.5;

    private static final Pattern SCHEME = Pattern.compile(":root \\{([^}]*)\\}");
    private static final Pattern COLOR = Pattern.compile("--(\\w+): (#\\p{XDigit}{6});");
    private static final Pattern WORD =
            Pattern.compile("(<rect class=\"(\\w+)\"[^>]*/>)\\s*<text[^>]*>(?:killed|slow)</text>");

    private static String css() throws IOException {
        try (InputStream css = HtmlReport.class.getResourceAsStream("report.css")) {
            return new String(css.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The colors of the light scheme, and of the dark one. */
    private static List<Map<String, String>> schemes() throws IOException {
        return SCHEME.matcher(css())
                .results()
                .map(scheme -> COLOR.matcher(scheme.group(1))
                        .results()
                        .collect(Collectors.toMap(color -> color.group(1), color -> color.group(2))))
                .toList();
    }

    /** The ratio that WCAG 2 defines. */
    private static double contrast(String one, String other) {
        double first = luminance(one) + 0.05;
        double second = luminance(other) + 0.05;
        return Math.max(first, second) / Math.min(first, second);
    }

    private static double luminance(String color) {
        return 0.2126 * channel(color, 1) + 0.7152 * channel(color, 3) + 0.0722 * channel(color, 5);
    }

    private static double channel(String color, int at) {
        double value = Integer.parseInt(color.substring(at, at + 2), 16) / 255.0;
        return value <= 0.04045 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4);
    }

    @Test
    void theRatioIsThatOfTheStandard() {
        assertThat(contrast("#000000", "#ffffff")).isEqualTo(21);
        assertThat(contrast("#777777", "#ffffff")).isBetween(4.47, 4.49);
    }

    @ParameterizedTest
    @CsvSource({
        "ink, ground",
        "ink, panel",
        "soft, ground",
        "soft, panel",
        "right, panel",
        "wrong, panel",
        "mark, panel"
    })
    void textStandsOutFromItsGround(String text, String ground) throws IOException {
        assertThat(schemes())
                .hasSize(2)
                .allSatisfy(colors -> assertThat(contrast(colors.get(text), colors.get(ground)))
                        .isGreaterThanOrEqualTo(ENOUGH));
    }

    /** What is drawn under them may be red, blue or nothing. */
    @Test
    void wordsInATimelineHaveAGroundOfTheirOwn() throws IOException {
        assertThat(css()).contains("svg text { fill: var(--ink);", "svg .tag { fill: var(--panel);");
        String svg = new Lanes(
                        Samples.timeline(),
                        List.of(new Overlaps.Span(1_000_000, 1_003_000)),
                        4,
                        1,
                        new Overlaps.Span(1_000_000, 1_003_000),
                        1_000_000)
                .draw();
        Matcher word = WORD.matcher(svg);
        assertThat(Stream.iterate(word.find(), found -> found, found -> word.find())
                        .map(found -> word.group(2)))
                .containsExactlyInAnyOrder("tag", "tag");
        assertThat(svg.split(">(killed|slow)</text>", -1)).hasSize(3);
    }

    @Test
    void whatIsWideScrollsInsteadOfBeingTooSmall() throws IOException {
        assertThat(css())
                .contains(
                        ".wide { overflow-x: auto; }", ".wide svg { min-width: 54rem; }", "@media (max-width: 40rem)");
    }
}
