package io.holdfast.benchmarks;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A plot with logarithmic axes. */
final class Plot {

    private static final int WIDTH = 760;
    private static final int HEIGHT = 320;
    /** The space above the curves, for the title. */
    private static final int HEAD = 28;

    private static final int LEFT = 70;
    private static final int RIGHT = 600;
    private static final int TOP = 16;
    private static final int BOTTOM = 276;

    /** The minimum distance between two labels of curves. */
    private static final int LINE = 14;

    private final String title;
    private final String along;
    private final String upwards;
    private final Map<String, List<double[]>> curves = new LinkedHashMap<>();
    private double lowX = Double.MAX_VALUE;
    private double highX = 1;
    private double lowY = Double.MAX_VALUE;
    private double highY = 1e-9;

    /**
     * Creates a plot without curves.
     *
     * @param along the label of the horizontal axis, with the unit
     * @param upwards the label of the vertical axis, with the unit
     */
    Plot(String title, String along, String upwards) {
        this.title = title;
        this.along = along;
        this.upwards = upwards;
    }

    /** Adds a curve. Points that are not above zero cannot be drawn. */
    void add(String name, List<double[]> points) {
        List<double[]> shown =
                points.stream().filter(point -> point[0] > 0 && point[1] > 0).toList();
        if (shown.isEmpty()) {
            return;
        }
        curves.put(name, shown);
        for (double[] point : shown) {
            lowX = Math.min(lowX, point[0]);
            highX = Math.max(highX, point[0]);
            lowY = Math.min(lowY, Math.pow(10, Math.floor(Math.log10(point[1]))));
            highY = Math.max(highY, Math.pow(10, Math.ceil(Math.log10(point[1]))));
        }
    }

    boolean isEmpty() {
        return curves.isEmpty();
    }

    /** Returns the drawing, with the given style before it. */
    String toSvg(String style) {
        StringBuilder svg = new StringBuilder(TextTable.format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 %d %d %d\" role=\"img\" aria-label=\"%s: %s by %s\">%n",
                -HEAD, WIDTH, HEIGHT + HEAD, title, upwards, along));
        svg.append(style);
        labels(svg);
        grid(svg);
        int curve = 0;
        for (List<double[]> points : curves.values()) {
            draw(svg, points, curve++);
        }
        names(svg);
        return svg.append("</svg>\n").toString();
    }

    private void labels(StringBuilder svg) {
        svg.append(TextTable.format(
                "<text class=\"title\" text-anchor=\"start\" x=\"%d\" y=\"%d\">%s</text>%n",
                LEFT, 8 - HEAD / 2, title));
        double middle = (TOP + BOTTOM) / 2.0;
        svg.append(TextTable.format(
                "<text text-anchor=\"middle\" transform=\"translate(16 %.1f) rotate(-90)\">%s</text>%n",
                middle, upwards));
        text(svg, "middle", (LEFT + RIGHT) / 2.0, BOTTOM + 34, along);
    }

    private void grid(StringBuilder svg) {
        for (double value = lowY; value <= highY * 1.01; value *= 10) {
            line(svg, LEFT, y(value), RIGHT, y(value));
            text(svg, "end", LEFT - 6, y(value) + 4, shortly(value));
        }
        curves.values().stream()
                .flatMap(List::stream)
                .mapToDouble(point -> point[0])
                .distinct()
                .forEach(value -> {
                    line(svg, x(value), TOP, x(value), BOTTOM);
                    text(svg, "middle", x(value), BOTTOM + 16, shortly(value));
                });
    }

    private void draw(StringBuilder svg, List<double[]> points, int curve) {
        StringBuilder path = new StringBuilder();
        for (double[] point : points) {
            path.append(path.isEmpty() ? "M" : " L");
            path.append(TextTable.format("%.1f %.1f", x(point[0]), y(point[1])));
            svg.append(TextTable.format(
                    "<circle class=\"c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>%n", curve, x(point[0]), y(point[1])));
        }
        svg.append(TextTable.format("<path class=\"c%d\" d=\"%s\"/>%n", curve, path));
    }

    /** Places each label at the end of its curve, from the top down, and below the previous one if they would overlap. */
    private void names(StringBuilder svg) {
        double free = -Double.MAX_VALUE;
        List<Map.Entry<String, List<double[]>>> fromTheTop = curves.entrySet().stream()
                .sorted(Comparator.comparingDouble(curve -> y(last(curve.getValue())[1])))
                .toList();
        for (Map.Entry<String, List<double[]>> curve : fromTheTop) {
            double[] end = last(curve.getValue());
            double y = Math.max(free, y(end[1]) + 4);
            text(svg, "start", x(end[0]) + 8, y, curve.getKey());
            free = y + LINE;
        }
    }

    private static double[] last(List<double[]> points) {
        return points.get(points.size() - 1);
    }

    private static void line(StringBuilder svg, double x1, double y1, double x2, double y2) {
        svg.append(TextTable.format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n", x1, y1, x2, y2));
    }

    private static void text(StringBuilder svg, String anchor, double x, double y, String text) {
        svg.append(TextTable.format("<text text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>%n", anchor, x, y, text));
    }

    private double x(double value) {
        return LEFT + (RIGHT - LEFT) * share(value, lowX, highX);
    }

    private double y(double value) {
        return BOTTOM - (BOTTOM - TOP) * share(value, lowY, highY);
    }

    private static double share(double value, double low, double high) {
        return high <= low ? 0.5 : Math.log(value / low) / Math.log(high / low);
    }

    private static String shortly(double value) {
        if (value >= 1e6) {
            return TextTable.format("%.0fM", value / 1e6);
        }
        if (value >= 1e3) {
            return TextTable.format("%.0fk", value / 1e3);
        }
        return value >= 1 ? TextTable.format("%.0f", value) : TextTable.format("%.2g", value);
    }
}
