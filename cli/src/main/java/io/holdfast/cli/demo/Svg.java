package io.holdfast.cli.demo;

import java.util.Locale;

/** An SVG drawing, to which elements are added one by one. */
final class Svg {

    private final StringBuilder body = new StringBuilder();
    private final int width;

    Svg(int width) {
        this.width = width;
    }

    Svg rect(String style, double x, double y, double w, double h) {
        return add("<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>", style, x, y, w, h);
    }

    Svg line(String style, double x1, double y1, double x2, double y2) {
        return add("<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>", style, x1, y1, x2, y2);
    }

    Svg dot(String style, double x, double y, double radius) {
        return add("<circle class=\"%s\" cx=\"%s\" cy=\"%s\" r=\"%s\"/>", style, x, y, radius);
    }

    Svg path(String style, CharSequence path) {
        return path.isEmpty() ? this : add("<path class=\"%s\" d=\"%s\"/>", style, path);
    }

    /** Adds a text whose anchor is start, middle or end. */
    Svg text(String style, String anchor, double x, double y, String text) {
        return add(
                "<text class=\"%s\" text-anchor=\"%s\" x=\"%s\" y=\"%s\">%s</text>", style, anchor, x, y, escape(text));
    }

    private Svg add(String element, Object... values) {
        for (int i = 0; i < values.length; i++) {
            values[i] = values[i] instanceof Double number ? shown(number) : values[i];
        }
        body.append(String.format(Locale.ROOT, element, values)).append('\n');
        return this;
    }

    static String shown(double number) {
        String text = String.format(Locale.ROOT, "%.1f", number);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }

    String toText(int height, String title) {
        return "<svg viewBox=\"0 0 " + width + " " + height + "\" role=\"img\" aria-label=\"" + escape(title) + "\">\n"
                + body + "</svg>\n";
    }

    int size() {
        return body.length();
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
