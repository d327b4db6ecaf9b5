package io.holdfast.support.record;

import static io.holdfast.spi.Names.quoted;
import static java.util.Map.entry;

import io.holdfast.spi.TenureId;
import io.holdfast.support.record.RowReader.Row;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** A parser of one {@link RecordText}. It throws the exceptions that {@link RecordText#decode} translates. */
final class RecordReader {

    /** The number of columns of each section; clients are not in columns. */
    private static final Map<Character, Integer> COLUMNS = Map.ofEntries(
            entry('c', 0),
            entry('n', 1),
            entry('t', 2),
            entry('h', 8),
            entry('q', 7),
            entry('a', 1),
            entry('p', 1),
            entry('l', 4),
            entry('o', 1),
            entry('w', 2),
            entry('d', 3));

    /** The sections of one row each. */
    private static final String SINGLE = "ntapl";

    /** The sections whose rows have a word. */
    private static final String WITH_WORDS = "hqd";

    private final Map<Character, String> sections = new HashMap<>();
    private final List<Party> clients;

    RecordReader(String text) {
        int bar = text.indexOf('|');
        if (bar < 0 || !text.substring(0, bar).equals(RecordText.FORMAT)) {
            throw new IllegalArgumentException("it is of format " + quoted(text.substring(0, Math.max(0, bar)))
                    + ", and this version reads format " + RecordText.FORMAT);
        }
        if (text.length() > bar + 1) {
            Stream.of(text.substring(bar + 1).split("\\|", -1)).forEach(this::section);
        }
        clients = Stream.ofNullable(sections.get('c'))
                .flatMap(all -> Stream.of(all.split(",", -1)))
                .map(RecordReader::client)
                .toList();
    }

    private void section(String text) {
        if (text.length() < 2 || text.charAt(1) != ':' || !COLUMNS.containsKey(text.charAt(0))) {
            throw new IllegalArgumentException("it has a section "
                    + quoted(text.substring(0, Math.min(2, text.length()))) + " that this version does not know");
        }
        if (sections.put(text.charAt(0), text.substring(2)) != null) {
            throw new IllegalArgumentException("it has two sections " + quoted(text.substring(0, 1)));
        }
    }

    LockRecord read() {
        return new LockRecord(
                new Holders(rows('h').map(this::holder).toList()),
                new Places(rows('q').map(this::place).toList(), number('a').orElse(0)),
                rows('t')
                        .findFirst()
                        .map(row -> new Tokens(row.number(0), row.number(0) - row.number(1)))
                        .orElse(Tokens.NONE),
                rows('p').mapToInt(row -> row.integer(0)).findFirst(),
                rows('l').findFirst().map(this::latch),
                new Changes(rows('d').map(this::change).toList()),
                number('n'));
    }

    private Stream<Row> rows(char key) {
        String text = sections.get(key);
        List<Row> rows = text == null ? List.of() : RowReader.rows(text, COLUMNS.getOrDefault(key, 0));
        boolean hasWords = WITH_WORDS.indexOf(key) < 0
                && rows.stream().anyMatch(row -> !row.word().isEmpty());
        if (hasWords || (rows.size() > 1 && SINGLE.indexOf(key) >= 0)) {
            throw new IllegalArgumentException(
                    "section '" + key + "' has words or rows that this version does not know");
        }
        return rows.stream();
    }

    private OptionalLong number(char key) {
        return rows(key).mapToLong(row -> row.number(0)).findFirst();
    }

    private static Party client(String text) {
        int at = text.indexOf('@');
        return at < 0
                ? Party.of(unescaped(text))
                : new Party(unescaped(text.substring(0, at)), Optional.of(unescaped(text.substring(at + 1))));
    }

    private static String unescaped(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private Party party(Row row) {
        return clients.get(row.integer(0));
    }

    private TenureId tenure(Row row) {
        return new TenureId(party(row).clientId(), row.number(1));
    }

    private Claimant claimant(Row row) {
        return new Claimant(tenure(row), party(row).session(), row.has(Letters.LINGERS));
    }

    private Holder holder(Row row) {
        return new Holder(
                claimant(row),
                Letters.mode(row.word(), "uk"),
                row.number(2),
                row.number(7),
                row.integer(5),
                new Grant(row.number(3), row.number(4), row.integer(6)),
                row.has(Letters.UNCLAIMED));
    }

    private Place place(Row row) {
        return new Place(
                claimant(row),
                Letters.mode(row.word(), "fk"),
                row.has(Letters.FAIR),
                row.number(2),
                row.number(3),
                row.number(4),
                row.number(5),
                row.integer(6));
    }

    private Latch latch(Row row) {
        return new Latch(
                row.number(0),
                row.integer(1),
                row.number(2),
                row.number(3),
                rows('o').map(each -> each.number(0)).toList(),
                rows('w')
                        .map(each -> new Latch.Listener(party(each), each.number(1)))
                        .toList());
    }

    private Changes.Decided change(Row row) {
        if (!row.word().equals(Letters.APPLIED) && !row.word().equals(Letters.NOT_APPLIED)) {
            throw new IllegalArgumentException(quoted(row.word()) + " is no answer to a change");
        }
        return new Changes.Decided(tenure(row), row.word().equals(Letters.APPLIED), row.number(2));
    }
}
