package io.holdfast.examples.web.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.examples.web.Books;
import io.holdfast.examples.web.Entry;
import io.holdfast.examples.web.Way;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowTest {

    private static final Scale SCALE = new Scale(3, 1, 6, 3, 2, 0);
    private static final Row.Happened BOTH = new Row.Happened(1, 1, true);

    private final List<Books.Timed> orders = new ArrayList<>();
    private final List<Books.Timed> others = new ArrayList<>();

    private void order(long millis, int shelf, long token) {
        orders.add(new Books.Timed(millis, new Entry(Entry.Event.ORDER, 1, orders.size(), shelf, token)));
    }

    private Row row(Way way, long left, Row.Happened happened) {
        List<Buyers.Reply> replies =
                List.of(new Buyers.Reply(200, 5), new Buyers.Reply(200, 9), new Buyers.Reply(502, 99));
        return Row.of(way, SCALE, new Row.Count(left, orders, others), replies, happened);
    }

    @Test
    void aSaleOfEveryItemOnceIsExact() {
        order(1_000, 0, 1);
        order(1_500, 0, 1);
        order(3_500, 0, 2);
        others.add(new Books.Timed(2_000, new Entry(Entry.Event.REFUSED, 2, 1, 0, 1)));

        Row row = row(Way.LOCK, 0, BOTH);

        assertThat(row.exact()).isTrue();
        assertThat(row.asExpected()).isTrue();
        assertThat(row.refused()).isEqualTo(1);
        assertThat(row.stalledMillis()).isEqualTo(2_000);
        assertThat(row.perSecond()).isEqualTo(0.8);
        assertThat(row.unanswered()).isEqualTo(1);
        assertThat(row.p50Micros()).isEqualTo(5);
        assertThat(row.p99Micros()).isEqualTo(9);
    }

    @Test
    void ordersBeyondTheStockAreOversoldAndThoseNotInTheStockAreLostUpdates() {
        for (int i = 0; i < 5; i++) {
            order(i, 0, 0);
        }

        Row row = row(Way.NONE, 1, BOTH);

        assertThat(row.oversold()).isEqualTo(2);
        assertThat(row.lostUpdates()).isEqualTo(3);
        assertThat(row.exact()).isFalse();
        assertThat(row.asExpected()).isTrue();
        assertThat(row(Way.LOCK, 1, BOTH).asExpected()).isFalse();
    }

    @Test
    void aWriteAfterOneWithAHigherTokenOfTheSameShelfIsStale() {
        order(1, 0, 5);
        order(2, 1, 4);
        order(3, 0, 4);

        Row row = row(Way.LOCK, 0, BOTH);

        assertThat(row.stale()).isEqualTo(1);
        assertThat(row.exact()).isFalse();
        assertThat(row.asExpected()).isFalse();
    }

    @Test
    void anUnsoldItemIsNotExact() {
        order(1, 0, 1);
        order(2, 0, 1);

        assertThat(row(Way.LOCK, 1, BOTH).lostUpdates()).isZero();
        assertThat(row(Way.LOCK, 1, BOTH).exact()).isFalse();
    }

    @Test
    void aPromiseNeedsBothAccidentsAndAnEnd() {
        order(1, 0, 1);
        order(2, 0, 1);
        order(3, 0, 1);

        assertThat(row(Way.LOCK, 0, new Row.Happened(0, 1, true)).asExpected()).isFalse();
        assertThat(row(Way.LOCK, 0, new Row.Happened(1, 0, true)).asExpected()).isFalse();
        assertThat(row(Way.LOCK, 0, new Row.Happened(1, 1, false)).asExpected()).isFalse();
        assertThat(row(Way.NONE, 0, new Row.Happened(0, 0, true)).asExpected()).isTrue();
        assertThat(row(Way.NONE, 0, new Row.Happened(1, 1, false)).asExpected()).isFalse();
    }

    @Test
    void anEmptySaleHasFigures() {
        Row row = Row.of(Way.NONE, SCALE, new Row.Count(3, List.of(), List.of()), List.of(), BOTH);

        assertThat(row.p99Micros()).isZero();
        assertThat(row.perSecond()).isZero();
        assertThat(row.exact()).isFalse();
    }

    @Test
    void theTableSaysWhatHappened() {
        order(1, 0, 1);
        order(2, 0, 1);
        order(3, 0, 1);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<Row> rows =
                List.of(row(Way.NONE, 0, BOTH), row(Way.LOCK, 0, BOTH), row(Way.LOCK, 2, new Row.Happened(0, 1, true)));

        Table.print(rows, SCALE, "Redis", new PrintStream(out, true, StandardCharsets.UTF_8));

        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .anyMatch(line -> line.startsWith("none ") && line.endsWith("  exact this time"))
                .anyMatch(line -> line.startsWith("lock ") && line.endsWith("  exact"))
                .anyMatch(line -> line.startsWith("lock ") && line.endsWith("  WRONG"))
                .anyMatch(line -> line.contains("no instance was killed between check and write"));
    }

    @Test
    void anInstanceIsInsideBetweenItsReadAndItsWrite() {
        Books.Timed read = new Books.Timed(1, new Entry(Entry.Event.READ, 1, 7, 0, 3));
        Books.Timed sold = new Books.Timed(2, new Entry(Entry.Event.ORDER, 1, 7, 0, 3));
        Books.Timed refused = new Books.Timed(2, new Entry(Entry.Event.REFUSED, 1, 7, 0, 3));

        assertThat(Accidents.isInside(1, List.of(), List.of(read))).isTrue();
        assertThat(Accidents.isInside(2, List.of(), List.of(read))).isFalse();
        assertThat(Accidents.isInside(1, List.of(sold), List.of(read))).isFalse();
        assertThat(Accidents.isInside(1, List.of(), List.of(read, refused))).isFalse();
    }
}
