package io.holdfast.cli.demo;

import io.holdfast.cli.demo.Overlaps.Span;
import io.holdfast.examples.flashsale.Accident;
import io.holdfast.examples.flashsale.Timeline;
import io.holdfast.examples.flashsale.Timeline.Mishap;
import io.holdfast.examples.flashsale.Visit;
import io.holdfast.examples.report.Figures;
import java.util.List;

/** The section of one sale on the page, with the entire sale and a closer view of each accident. */
final class TimelineSection {

    private static final long CLOSE = 80;
    private static final int MOST_ROWS = 8;

    private final DemoOptions options;
    private final Sold sold;
    private final Row row;
    private final Timeline timeline;
    private final List<Span> wrong;

    TimelineSection(DemoOptions options, Sold sold) {
        this.options = options;
        this.sold = sold;
        this.row = sold.row();
        this.timeline = sold.count().timeline();
        this.wrong =
                row.strategy().excludesAll() ? Overlaps.of(timeline.visits()).spans() : List.of();
    }

    String toHtml() {
        StringBuilder html = new StringBuilder("<section><h3>" + row.strategy().label() + "</h3>\n");
        html.append("<p class=\"soft\">")
                .append(Svg.escape(Explanation.meaning(row) + " " + together()))
                .append("</p>\n");
        if (!timeline.visits().isEmpty()) {
            Span all = all();
            html.append(figure(all, 1, "The whole sale"));
            timeline.mishaps().forEach(mishap -> html.append(closer(mishap)));
        }
        return html.append("</section>\n").toString();
    }

    private String together() {
        String time = Figures.millis((double) row.overlapMillis());
        if (!row.strategy().excludesAll()) {
            return "Several sellers may be inside at once here, each with a part of the stock of its own.";
        }
        return row.overlapMillis() == 0
                ? "At no time was more than one seller inside."
                : "For " + time + " more than one seller was inside.";
    }

    private Span all() {
        long from = timeline.visits().get(0).begin();
        long to = timeline.visits().stream()
                .mapToLong(visit -> visit.end() == Visit.NEVER ? visit.begin() : visit.end())
                .max()
                .orElse(from);
        return new Span(from, Math.max(Math.max(to, from + 1), givenUp()));
    }

    /** Returns the time at which a stalled sale was abandoned; 0 if it ended by itself because nothing was left. */
    private long givenUp() {
        return row.left() > 0 ? sold.count().end() + row.stalledMillis() : 0;
    }

    private String closer(Mishap mishap) {
        boolean death = mishap.accident() == Accident.HALT;
        long at = death ? mishap.at() : mishap.visit().end();
        return at == Visit.NEVER
                ? ""
                : figure(
                        new Span(at - CLOSE, at + CLOSE),
                        options.processes() > MOST_ROWS ? 1 : Math.min(options.threads(), MOST_ROWS),
                        death
                                ? "Around the death, a row for each seller"
                                : "Around the end of the slow purchase, a row for each seller");
    }

    private String figure(Span window, int rows, String caption) {
        long zero = timeline.visits().get(0).begin();
        return "<figure><div class=\"wide\">\n"
                + new Lanes(timeline, wrong, options.processes(), rows, window, zero).draw() + "</div><figcaption>"
                + caption + "</figcaption></figure>\n";
    }
}
