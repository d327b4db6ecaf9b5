package io.holdfast.support.record;

import static java.util.stream.Collectors.joining;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.LongStream;

/** A writer of one {@link RecordText}. */
final class RecordWriter {

    /** The clients that were written so far, with their indexes. */
    private final Map<Party, Integer> clients = new LinkedHashMap<>();

    private final StringBuilder sections = new StringBuilder();

    String write(LockRecord record) {
        section('n', new RowWriter().column(record.at().stream()));
        section('t', tokens(record.tokens()));
        section('h', holders(record.holders()));
        section('q', queue(record.queue()));
        section(
                'a',
                new RowWriter()
                        .column(LongStream.of(record.queue().lastArrival()).filter(last -> last != 0)));
        section('p', new RowWriter().column(record.limit().stream().asLongStream()));
        record.latch().ifPresent(this::latch);
        section('d', changes(record.changes()));
        return RecordText.FORMAT + "|" + clients() + sections;
    }

    private void section(char key, RowWriter rows) {
        String text = rows.toString();
        if (!text.isEmpty()) {
            bar(sections).append(key).append(':').append(text);
        }
    }

    /** Adds a bar before every section except the first. The text before the first section already ends in a bar. */
    private static StringBuilder bar(StringBuilder text) {
        return text.append(text.isEmpty() ? "" : "|");
    }

    private String clients() {
        String all = clients.keySet().stream().map(RecordWriter::client).collect(joining(","));
        return clients.isEmpty() ? "" : "c:" + all + (sections.isEmpty() ? "" : "|");
    }

    private static String client(Party party) {
        return escaped(party.clientId())
                + party.session().map(session -> "@" + escaped(session)).orElse("");
    }

    private static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private int index(Party party) {
        return clients.computeIfAbsent(party, absent -> clients.size());
    }

    private static RowWriter tokens(Tokens tokens) {
        RowWriter rows = new RowWriter();
        return tokens.equals(Tokens.NONE) ? rows : rows.row("", tokens.last(), tokens.last() - tokens.floor());
    }

    private RowWriter holders(Holders holders) {
        RowWriter rows = new RowWriter();
        for (Holder holder : holders.all()) {
            rows.row(
                    Letters.of(holder.mode())
                            + Letters.flag(holder.unclaimed(), Letters.UNCLAIMED)
                            + Letters.flag(holder.claimant().lingers(), Letters.LINGERS),
                    index(holder.claimant().party()),
                    holder.tenure().number(),
                    holder.expires(),
                    holder.grant().unit(),
                    holder.grant().units(),
                    holder.permits(),
                    holder.grant().number(),
                    holder.keptUntil());
        }
        return rows;
    }

    private RowWriter queue(Places queue) {
        RowWriter rows = new RowWriter();
        for (Place place : queue.all()) {
            rows.row(
                    Letters.of(place.mode())
                            + Letters.flag(place.fair(), Letters.FAIR)
                            + Letters.flag(place.claimant().lingers(), Letters.LINGERS),
                    index(place.claimant().party()),
                    place.tenure().number(),
                    place.arrival(),
                    place.refreshed(),
                    place.lease(),
                    place.tokens(),
                    place.permits());
        }
        return rows;
    }

    private void latch(Latch latch) {
        section('l', new RowWriter().row("", latch.number(), latch.count(), latch.ends(), latch.forgotten()));
        section('o', new RowWriter().column(latch.unopened().stream().mapToLong(Long::longValue)));
        RowWriter listeners = new RowWriter();
        for (Latch.Listener listener : latch.listeners()) {
            listeners.row("", index(listener.party()), listener.since());
        }
        section('w', listeners);
    }

    private RowWriter changes(Changes changes) {
        RowWriter rows = new RowWriter();
        for (Changes.Decided each : changes.all()) {
            rows.row(
                    each.applied() ? Letters.APPLIED : Letters.NOT_APPLIED,
                    index(Party.of(each.change().clientId())),
                    each.change().number(),
                    each.at());
        }
        return rows;
    }
}
