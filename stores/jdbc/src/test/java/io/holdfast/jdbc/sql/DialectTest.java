package io.holdfast.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.TenureId;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Limits;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.RecordColumns;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The statements that all databases share. */
class DialectTest {

    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final String NAME = "orders/42";
    private static final Key KEY = lock(NAME);

    private final Dialect dialect = new H2(Tables.DEFAULT);
    private final Decider decider = new Decider(Limits.STANDARD);
    private final Connection connection = connect();
    private long notAfter = Long.MAX_VALUE;

    private static Connection connect() {
        try {
            return DriverManager.getConnection("jdbc:h2:mem:");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void makeTables() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : dialect.settings(500)) {
                statement.execute(sql);
            }
            for (int again = 0; again < 2; again++) {
                for (String sql : dialect.schema()) {
                    statement.execute(sql);
                }
            }
        }
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    private static Key lock(String name) {
        return Key.of(new RecordKeys("").lock(name));
    }

    private LockRecord heldBy(String client, long now) {
        return decider.acquire(LockRecord.EMPTY, Acquire.of(NAME, new TenureId(client, 1), LEASE), Moment.of(now, 0))
                .record();
    }

    private boolean write(Key key, Row before, LockRecord record) throws SQLException {
        RecordColumns columns = RecordColumns.of(NAME, record, record);
        return dialect.write(connection, key, before, columns, notAfter, List.of());
    }

    private Row read(Key key) throws SQLException {
        return dialect.read(connection, key);
    }

    @Test
    void withoutARowTheTimeIsRead() throws SQLException {
        Row row = read(KEY);
        assertThat(row.version()).isEmpty();
        assertThat(row.columns().record(NAME)).isEqualTo(LockRecord.EMPTY);
        assertThat(row.now() / 1_000)
                .isBetween(System.currentTimeMillis() - 10_000, System.currentTimeMillis() + 10_000);
    }

    @Test
    void theFirstOfTwoWritersWins() throws SQLException {
        Row none = read(KEY);
        assertThat(write(KEY, none, heldBy("a", none.now()))).isTrue();
        assertThat(write(KEY, none, heldBy("b", none.now()))).isFalse();
        Row row = read(KEY);
        assertThat(row.columns().tenure()).hasValue("a:1");
        assertThat(write(KEY, row, heldBy("c", row.now()))).isTrue();
        assertThat(write(KEY, row, heldBy("d", row.now()))).isFalse();
        assertThat(read(KEY).columns().tenure()).hasValue("c:1");
        assertThat(read(KEY).version()).hasValue(row.version().getAsLong() + 1);
    }

    @Test
    void aRowIsNotWrittenAfterTheTimeIsUp() throws SQLException {
        Row none = read(KEY);
        notAfter = none.now() - 1;
        assertThat(write(KEY, none, heldBy("a", none.now()))).isFalse();
        notAfter = Long.MAX_VALUE;
        assertThat(write(KEY, none, heldBy("a", none.now()))).isTrue();
        Row row = read(KEY);
        notAfter = row.now() - 1;
        assertThat(write(KEY, row, heldBy("b", row.now()))).isFalse();
        assertThat(read(KEY)).extracting(Row::columns).isEqualTo(row.columns());
    }

    @Test
    void aRowThatIsMadeAgainRepeatsNoVersion() throws SQLException {
        Row none = read(KEY);
        assertThat(write(KEY, none, heldBy("a", none.now()))).isTrue();
        Row first = read(KEY);
        assertThat(Statements.update(connection, "DELETE FROM " + Tables.DEFAULT.locks()))
                .isEqualTo(1);
        assertThat(write(KEY, none, heldBy("b", none.now()))).isTrue();
        assertThat(read(KEY).version().getAsLong())
                .isGreaterThan(first.version().getAsLong());
        assertThat(write(KEY, first, heldBy("c", none.now()))).isFalse();
    }

    @Test
    void aRecordIsReadAsItWasWritten() throws SQLException {
        Row none = read(KEY);
        Acquire request = Acquire.of(NAME, new TenureId("b", 1), LEASE).queued(Acquire.Queueing.FAIR, 0);
        LockRecord record = decider.acquire(heldBy("a", none.now()), request, Moment.of(none.now(), 0))
                .record();
        assertThat(write(KEY, none, record)).isTrue();
        RecordColumns columns = read(KEY).columns();
        assertThat(columns).isEqualTo(RecordColumns.of(NAME, record, record));
        assertThat(columns.waiters()).isEqualTo(1);
        assertThat(columns.record(NAME).queue()).isEqualTo(record.queue());
    }

    @Test
    void severalRowsAreReadByOneQuery() throws SQLException {
        List<Key> keys = List.of(lock("a"), lock("b"), lock("c"));
        for (Key key : keys) {
            assertThat(write(key, read(key), LockRecord.EMPTY)).isTrue();
        }
        Map<Key, Row> rows = dialect.readAll(connection, List.of(keys.get(0), keys.get(2), lock("none")));
        assertThat(rows).containsOnlyKeys(keys.get(0), keys.get(2));
    }

    @Test
    void theListHasWhatIsInUseBelowThePrefix() throws SQLException {
        long now = read(KEY).now();
        for (String name : List.of("a", "ab", "abc", "b", "a\u00ff")) {
            assertThat(write(lock(name), read(lock(name)), heldBy("a", now))).isTrue();
        }
        assertThat(write(lock("ax"), read(lock("ax")), LockRecord.EMPTY)).isTrue();
        Key semaphore = Key.of(new RecordKeys("").semaphore("as"));
        assertThat(write(semaphore, read(semaphore), heldBy("a", now))).isTrue();
        assertThat(names(lock("a"), 10)).containsExactly("a", "ab", "abc", "a\u00ff");
        assertThat(names(lock("ab"), 10)).containsExactly("ab", "abc");
        assertThat(names(lock("a"), 2)).containsExactly("a", "ab");
        List<Map.Entry<Key, Row>> rest = dialect.list(connection, lock("ab").next(), lock("a"), 2);
        assertThat(rest).extracting(entry -> entry.getKey().record().text()).containsExactly("abc", "a\u00ff");
    }

    private List<String> names(Key prefix, int limit) throws SQLException {
        return dialect.list(connection, prefix, prefix, limit).stream()
                .map(entry -> entry.getKey().record().text())
                .toList();
    }

    @Test
    void aKeyIsReadAsItWasWritten() {
        for (RecordKey.Kind kind : RecordKey.Kind.values()) {
            RecordKey key = new RecordKey(kind, "p:\u00e4\u4e2d\ud83d\ude00");
            assertThat(Key.of(key).record()).isEqualTo(key);
            assertThat(Key.of(key)).isEqualTo(Key.of(key)).hasSameHashCodeAs(Key.of(key));
        }
        assertThat(lock("n")).isNotEqualTo(Key.of(new RecordKeys("").latch("n")));
    }

    @Test
    void aClientIsKnownWhenItHasIntroducedItself() throws SQLException {
        assertThat(dialect.clients(connection, List.of("a", "b"))).isEmpty();
        assertThat(dialect.introduce(connection, "a", "name\nhost\n1")).isFalse();
        assertThat(dialect.introduce(connection, "a", "name\nhost\n2")).isTrue();
        assertThat(dialect.clients(connection, List.of("a", "b", "c"))).isEqualTo(Map.of("a", "name\nhost\n2"));
        assertThat(dialect.forgetUnseen(connection, 60_000_000)).isZero();
        assertThat(dialect.forget(connection, "a")).isTrue();
        assertThat(dialect.forget(connection, "a")).isFalse();
        assertThat(dialect.introduce(connection, "b", "name\nhost\n3")).isFalse();
        assertThat(dialect.forgetUnseen(connection, -60_000_000)).isEqualTo(1);
    }
}
