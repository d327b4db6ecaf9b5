package io.holdfast.jdbc;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.GuardedStatements;
import io.holdfast.jdbc.sql.GuardedStatements.Grant;
import io.holdfast.jdbc.sql.GuardedStatements.Lease;
import io.holdfast.jdbc.sql.GuardedStatements.Renewed;
import io.holdfast.jdbc.sql.Key;
import io.holdfast.jdbc.sql.Row;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.TenureId;
import io.holdfast.support.TokenUnits;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.Limits;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.RecordColumns;
import io.holdfast.support.store.RecordKeys;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The guarded statements decide as the core does. Random requests are decided by both, on the same row, at the times before and
 * after the statement: if a statement applies, its row and its reply are those of the core at one of these times. If it does not
 * apply, it changes nothing, and the core would have found waiters, or would have refused, at one of them.
 */
abstract class AgreementRules {

    private static final int STEPS = 1_500;
    private static final List<Duration> LEASES =
            List.of(Duration.ofMillis(2), Duration.ofMillis(30), Duration.ofSeconds(5));

    private enum Outcome {
        GRANTED,
        NOT_GRANTED,
        /** Free, but somebody waits, which the core has to decide. */
        NOT_GRANTED_BESIDE_WAITERS,
        RELEASED,
        NOT_RELEASED,
        RENEWED,
        RENEWED_WITH_WAITERS,
        NOT_RENEWED
    }

    /** A busy machine may not answer within the default. */
    private static final Duration COMMAND = Duration.ofSeconds(20);

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final Decider decider = new Decider(Limits.STANDARD);
    private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    private Dialect dialect;
    private GuardedStatements statements;
    private Connection connection;

    abstract DatabaseServer server();

    @BeforeEach
    void connect() throws SQLException {
        server().database().close();
        Address address = Address.parse(server().uri(), COMMAND);
        dialect = address.kind().dialect(address.settings());
        statements = dialect.guarded().orElseThrow();
        connection = DriverManager.getConnection(address.url());
        for (String setting : dialect.settings(COMMAND.toMillis())) {
            connection.createStatement().execute(setting);
        }
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    @Test
    void theyDecideAsTheCore() throws Exception {
        for (int step = 0; step < STEPS; step++) {
            String name = "agree-" + seed + "-" + random.nextInt(3);
            switch (random.nextInt(8)) {
                case 0 -> acquireByCore(name);
                case 1 -> releaseByCore(name);
                case 2, 3, 4 -> acquire(name);
                case 5 -> release(name);
                case 6 -> renew(List.of("agree-" + seed + "-0", "agree-" + seed + "-1", "agree-" + seed + "-2"));
                default -> Thread.sleep(random.nextInt(4));
            }
        }
        for (Outcome outcome : Outcome.values()) {
            assertThat(outcomes.getOrDefault(outcome, 0))
                    .as("%s, seed %s, of %s", outcome, seed, outcomes)
                    .isGreaterThan(5);
        }
    }

    /** More rows than one statement writes, again and again, because a statement is prepared after some executions. */
    @Test
    void rowsThatAreWrittenTogetherAreAsDecided() throws Exception {
        List<String> names = IntStream.range(0, 150)
                .mapToObj(i -> "together-" + seed + "-" + i)
                .toList();
        for (int round = 0; round < 8; round++) {
            for (String name : names) {
                if (random.nextInt(4) > 0) {
                    acquireByCore(name);
                }
            }
            Map<Key, RecordColumns> expected = new HashMap<>();
            List<Dialect.Written> written = new ArrayList<>();
            for (String name : names) {
                Row row = read(name);
                if (row.version().isEmpty()) {
                    continue;
                }
                boolean stale = random.nextInt(10) == 0;
                Acquire request = Acquire.of(name, tenure(), lease()).queued(Acquire.Queueing.BARGING, 0);
                LockRecord after = decider.acquire(record(name, row), request, Moment.of(row.now(), 0))
                        .record();
                RecordColumns columns = RecordColumns.of(name, record(name, row), after);
                written.add(new Dialect.Written(key(name), row.version().getAsLong() - (stale ? 1 : 0), columns));
                expected.put(key(name), stale ? row.columns() : columns);
            }
            Set<Key> fresh = written.stream()
                    .filter(each -> expected.get(each.key()).equals(each.after()))
                    .map(Dialect.Written::key)
                    .collect(toSet());
            assertThat(fresh).containsAll(dialect.writeAll(connection, written));
            Map<Key, Row> found = dialect.readAll(connection, expected.keySet());
            expected.forEach((key, columns) -> assertThat(found.get(key).columns())
                    .as("%s, seed %s", key, seed)
                    .isEqualTo(columns));
        }
    }

    /** A search for unused rows reads one page of the primary key. */
    @Test
    void unusedRowsAreFoundPageByPage() throws SQLException {
        List<Key> keys = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String name = "page-" + seed + "-" + i;
            acquireByCore(name);
            keys.add(key(name));
        }
        assertThat(dialect.keys(connection, keys.get(0), 2)).isEqualTo(keys.subList(0, 2));
        assertThat(dialect.keys(connection, keys.get(1).next(), 1)).isEqualTo(keys.subList(2, 3));
        long minute = Duration.ofMinutes(1).toNanos() / 1_000;
        assertThat(dialect.unused(connection, keys, minute)).isEmpty();
        assertThat(dialect.unused(connection, keys.subList(0, 2), -minute)).containsOnlyKeys(keys.get(0), keys.get(1));
    }

    /** A server that has just taken over applies an earlier transaction while a renewal runs. */
    @Test
    void doesNotReportARenewalOfARowThatItsWriteHasNotMet() throws SQLException {
        TenureId holder = new TenureId("a", 1);
        List<Lease> leases = new ArrayList<>();
        for (String name : List.of("met-" + seed, "missed-" + seed)) {
            Row free = read(name);
            Acquire request = Acquire.of(name, holder, Duration.ofSeconds(30));
            write(
                    name,
                    free,
                    decider.acquire(record(name, free), request, Moment.of(free.now(), 0))
                            .record());
            leases.add(new Lease(key(name), holder.toString(), 20_000_000));
        }
        String row = " WHERE name = 'Lmissed-" + seed + "'";
        execute("UPDATE holdfast_locks SET tenure = CONCAT('x', tenure)" + row);
        AtomicInteger statementsPrepared = new AtomicInteger();
        Connection applying = Sources.beforeEachStatement(connection, () -> {
            if (statementsPrepared.getAndIncrement() == 1) {
                execute("UPDATE holdfast_locks SET tenure = SUBSTRING(tenure, 2)" + row);
            }
        });
        assertThat(statements.renew(applying, leases, random.nextBoolean())).containsOnlyKeys(leases.get(0));
        assertThat(statementsPrepared).hasPositiveValue();
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void count(Outcome outcome) {
        outcomes.merge(outcome, 1, Integer::sum);
    }

    private TenureId tenure() {
        return new TenureId(random.nextBoolean() ? "a" : "b", 1 + random.nextInt(2));
    }

    private Duration lease() {
        return LEASES.get(random.nextInt(LEASES.size()));
    }

    private static Key key(String name) {
        return Key.of(new RecordKeys("").lock(name));
    }

    private Row read(String name) throws SQLException {
        return dialect.read(connection, key(name));
    }

    private static LockRecord record(String name, Row row) {
        return row.columns().record(name);
    }

    private void write(String name, Row row, LockRecord after) throws SQLException {
        RecordColumns columns = RecordColumns.of(name, record(name, row), after);
        assertThat(dialect.write(connection, key(name), row, columns, Long.MAX_VALUE, List.of()))
                .isTrue();
    }

    /** Decisions at the times before and after a statement, on the row before it. */
    private record Decisions<R>(Decision<R> early, Decision<R> late) {

        Stream<Decision<R>> all() {
            return Stream.of(early, late);
        }
    }

    private interface Core<R> {
        Decision<R> decide(LockRecord record, Moment moment);
    }

    private static <R> Decisions<R> decide(String name, Row before, Row after, Core<R> core) {
        return new Decisions<>(
                core.decide(record(name, before), Moment.of(before.now(), 0)),
                core.decide(record(name, before), Moment.of(after.now(), 0)));
    }

    // ---- requests that fill the row

    private void acquireByCore(String name) throws SQLException {
        Row row = read(name);
        Acquire request = Acquire.of(name, tenure(), lease());
        Acquire queued = random.nextInt(3) == 0 ? request.queued(Acquire.Queueing.BARGING, 0) : request;
        write(
                name,
                row,
                decider.acquire(record(name, row), queued, Moment.of(row.now(), 0))
                        .record());
    }

    private void releaseByCore(String name) throws SQLException {
        Row row = read(name);
        Release request = Release.of(name, tenure());
        LockRecord after = decider.release(record(name, row), request, Moment.of(row.now(), 0))
                .record();
        for (String client : List.of("a", "b")) {
            after = random.nextBoolean() ? after.withoutWaitsOf(client) : after;
        }
        write(name, row, after);
    }

    // ---- guarded statements

    private void acquire(String name) throws SQLException {
        Row before = read(name);
        TenureId tenure = tenure();
        Duration lease = lease();
        boolean late = random.nextInt(10) == 0;
        Optional<Grant> grant = statements.acquire(
                connection,
                key(name),
                tenure.toString(),
                lease.toNanos() / 1_000,
                late ? before.now() - 1 : Long.MAX_VALUE);
        Row after = read(name);
        Acquire request = Acquire.of(name, tenure, lease);
        Decisions<Acquire.Reply> core =
                decide(name, before, after, (record, moment) -> decider.acquire(record, request, moment));
        if (grant.isEmpty()) {
            boolean free = core.all().allMatch(each -> each.reply() instanceof Acquire.Granted);
            count(
                    free && before.columns().state().isPresent()
                            ? Outcome.NOT_GRANTED_BESIDE_WAITERS
                            : Outcome.NOT_GRANTED);
            assertUnchanged(before, after);
            assertThat(late
                            || before.version().isEmpty()
                            || before.columns().state().isPresent()
                            || core.all().anyMatch(each -> each.reply() instanceof Acquire.Refused))
                    .as("%s of %s, seed %s", request, before, seed)
                    .isTrue();
            return;
        }
        count(Outcome.GRANTED);
        assertThat(late).isFalse();
        assertThat(before.columns().state()).as("what the core has to decide").isEmpty();
        assertThat(core.all()
                        .anyMatch(each ->
                                each.reply() instanceof Acquire.Granted && isAlike(name, before, after, each.record())))
                .as("%s of %s gives %s, seed %s", request, before, after, seed)
                .isTrue();
        assertThat(grant.get().unit()).isEqualTo(after.columns().lastUnit());
        assertThat(grant.get().now())
                .isBetween(before.now(), Math.max(after.now(), after.columns().lastUnit()));
    }

    private void release(String name) throws SQLException {
        Row before = read(name);
        TenureId tenure = before.columns()
                .tenure()
                .filter(holder -> random.nextInt(4) > 0)
                .map(TenureId::parse)
                .orElseGet(this::tenure);
        long unit = random.nextBoolean() ? 0 : before.columns().floorUnit() + random.nextInt(3) - 1;
        long lastToken = unit <= 0 ? 0 : TokenUnits.tokens(unit, 1).last();
        OptionalLong now = statements.release(
                connection, key(name), tenure.toString(), lastToken == 0 ? Long.MAX_VALUE : TokenUnits.unit(lastToken));
        Row after = read(name);
        Release request = Release.of(name, tenure).withLastToken(lastToken);
        Decisions<Release.Reply> core =
                decide(name, before, after, (record, moment) -> decider.release(record, request, moment));
        if (now.isEmpty()) {
            count(Outcome.NOT_RELEASED);
            assertUnchanged(before, after);
            assertThat(before.columns().state().isPresent()
                            || core.all().anyMatch(each -> !each.reply().held()))
                    .as("%s of %s, seed %s", request, before, seed)
                    .isTrue();
            return;
        }
        count(Outcome.RELEASED);
        assertThat(before.columns().state()).as("what the core has to decide").isEmpty();
        assertThat(core.all()
                        .anyMatch(each -> each.reply().held()
                                && each.reply().foreignWaiters() == 0
                                && isAlike(name, before, after, each.record())))
                .as("%s of %s gives %s, seed %s", request, before, after, seed)
                .isTrue();
        assertThat(now.getAsLong()).isBetween(before.now(), after.now());
    }

    private void renew(List<String> names) throws SQLException {
        List<Row> before = new ArrayList<>();
        List<TenureId> tenures = new ArrayList<>();
        List<Lease> leases = new ArrayList<>();
        for (String name : names) {
            before.add(read(name));
            tenures.add(before.get(before.size() - 1)
                    .columns()
                    .tenure()
                    .filter(holder -> random.nextInt(8) > 0)
                    .map(TenureId::parse)
                    .orElseGet(this::tenure));
            leases.add(new Lease(key(name), tenures.get(tenures.size() - 1).toString(), lease().toNanos() / 1_000));
        }
        Map<Lease, Renewed> renewed = statements.renew(connection, leases, random.nextBoolean());
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            Row after = read(name);
            Renew request = new Renew(
                    name, tenures.get(i), Duration.ofNanos(leases.get(i).micros() * 1_000), 0);
            Row row = before.get(i);
            Decisions<Renew.Reply> core =
                    decide(name, row, after, (record, moment) -> decider.renew(record, request, moment));
            assertRenewed(name, row, after, core, Optional.ofNullable(renewed.get(leases.get(i))));
        }
    }

    private void assertRenewed(
            String name, Row before, Row after, Decisions<Renew.Reply> core, Optional<Renewed> renewed) {
        if (renewed.isEmpty()) {
            count(Outcome.NOT_RENEWED);
            assertThat(core.all().anyMatch(each -> each.reply() instanceof Renew.Lost))
                    .as("not renewed: %s, seed %s", before, seed)
                    .isTrue();
            return;
        }
        count(renewed.get().waiters() > 0 ? Outcome.RENEWED_WITH_WAITERS : Outcome.RENEWED);
        assertThat(core.all()
                        .anyMatch(each -> each.reply() instanceof Renew.Renewed reply
                                && reply.foreignWaiters() == renewed.get().waiters()
                                && isAlike(name, before, after, each.record())))
                .as("%s gives %s and %s, core %s, seed %s", before, after, renewed, core, seed)
                .isTrue();
        assertThat(renewed.get().now()).isBetween(before.now(), after.now());
    }

    private static void assertUnchanged(Row before, Row after) {
        assertThat(after.version()).isEqualTo(before.version());
        assertThat(after.columns()).isEqualTo(before.columns());
    }

    /** The same record, except that the clock of the statement was between those of the two readings. */
    private static boolean isAlike(String name, Row before, Row after, LockRecord expected) {
        RecordColumns wanted = RecordColumns.of(name, record(name, before), expected);
        RecordColumns found = after.columns();
        long elapsed = after.now() - before.now();
        return after.version().getAsLong() == before.version().getAsLong() + 1
                && found.tenure().equals(wanted.tenure())
                && found.floorUnit() == wanted.floorUnit()
                && found.waiters() == wanted.waiters()
                && found.state().equals(wanted.state())
                && Math.abs(found.lastUnit() - wanted.lastUnit()) <= elapsed
                && Math.abs(found.expires() - wanted.expires()) <= elapsed;
    }
}
