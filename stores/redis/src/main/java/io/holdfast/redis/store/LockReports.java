package io.holdfast.redis.store;

import io.holdfast.LockReport;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.redis.script.Script;
import io.holdfast.redis.script.ScriptReply;
import io.holdfast.redis.script.Session;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import io.holdfast.support.Stages;
import io.holdfast.support.TokenUnits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * Reports about the holders and waiters of locks. They combine the keys of the lock, the records of the clients, and the answer
 * of the holder's client.
 */
record LockReports(Session session, KeyLayout layout, ClientRegistry registry) {

    private static final Duration NO_EXPIRY = Duration.ofDays(365);

    /**
     * The reply of a script.
     *
     * @param shared {@code true} if the reply is about a read/write lock
     */
    private record Found(ScriptReply reply, boolean shared) {

        Mode mode(String field) {
            if (!shared) {
                return Mode.LOCK;
            }
            return field.endsWith(KeyLayout.ending(Mode.WRITE)) ? Mode.WRITE : Mode.READ;
        }
    }

    CompletionStage<LockReport> inspect(String name) {
        return request(name).thenCompose(found -> report(name, found));
    }

    private CompletionStage<Found> request(String name) {
        return run(Script.INSPECT, Script.SHARE_INSPECT, name, "");
    }

    /** Runs a script for a lock. The reply for a read/write lock says so, and the script for these is run instead. */
    private CompletionStage<Found> run(Script script, Script ifShared, String name, Object... arguments) {
        return session.run(script, name, reply -> reply, arguments)
                .thenCompose(reply -> reply.values().size() > 3 && reply.text(3).equals("mode")
                        ? session.run(
                                ifShared, sharedKeys(name), List.of(name), shared -> new Found(shared, true), arguments)
                        : CompletableFuture.completedStage(new Found(reply, false)));
    }

    private String[] sharedKeys(String name) {
        return Stream.concat(Stream.of(layout.sharedKeys(name)), Stream.of(layout.timers(name), layout.known(name)))
                .toArray(String[]::new);
    }

    /**
     * Frees the lock and returns its holder. The holder's client is asked for details after that. It usually still describes the
     * hold, because it verifies a loss at the server first.
     */
    CompletionStage<Optional<LockReport.Holder>> force(String name) {
        return run(Script.FORCE, Script.SHARE_FORCE, name, session.inboxes(name), session.sharedChannel(name))
                .thenCompose(found -> report(name, found))
                .thenApply(LockReport::holder);
    }

    /**
     * Creates a report from the reply. The reply has the lease time left, the highest token unit, and the number of holders.
     * Pairs follow: each holder with its lease time left, and each waiter with its arrival.
     */
    private CompletionStage<LockReport> report(String name, Found found) {
        ScriptReply reply = found.reply();
        int held = reply.count(2);
        List<String> fields = new ArrayList<>();
        List<Double> times = new ArrayList<>();
        for (int i = 3; i < reply.values().size(); i += 2) {
            fields.add(reply.text(i));
            times.add(Double.valueOf(reply.text(i + 1)));
        }
        CompletionStage<List<Optional<HoldDescription>>> descriptions =
                Stages.all(fields.stream().limit(held).map(field -> description(field, name)));
        return registry.clients(fields).thenCombine(descriptions, (clients, holds) -> {
            List<LockReport.Holder> holders = new ArrayList<>();
            List<LockReport.Waiter> waiters = new ArrayList<>();
            for (int i = 0; i < held; i++) {
                Duration left = left(times.get(i).longValue());
                String field = fields.get(i);
                holders.add(HoldDescription.holder(
                        clients.get(i), ClientRegistry.tenure(field), found.mode(field), holds.get(i), left));
            }
            for (int i = held; i < fields.size(); i++) {
                waiters.add(new LockReport.Waiter(clients.get(i), instant(times.get(i))));
            }
            return new LockReport(name, holders, waiters, TokenUnits.lastOf(reply.number(1)));
        });
    }

    /**
     * Returns the lease time left. A key without a time to live belongs to another program. It is shown with a lease time of a
     * year.
     */
    static Duration left(long millis) {
        return millis < 0 ? NO_EXPIRY : Duration.ofMillis(millis);
    }

    private static Instant instant(double micros) {
        return Instant.EPOCH.plusSeconds((long) micros / 1_000_000).plusNanos((long) micros % 1_000_000 * 1_000);
    }

    private CompletionStage<Optional<HoldDescription>> description(String holder, String name) {
        String tenure = ClientRegistry.tenure(holder);
        return tenure.matches(".+:-?\\d{1,18}")
                ? session.mailbox.describe(TenureId.parse(tenure), name)
                : CompletableFuture.completedStage(Optional.empty());
    }

    CompletionStage<List<LockReport>> list(String start) {
        KeyScan scan = new KeyScan(session);
        return scan.names("hash", layout.locks(start), layout::name)
                .thenCombine(scan.names("zset", layout.queues(start), layout::name), (held, awaited) -> {
                    held.addAll(awaited);
                    return held;
                })
                .thenCompose(this::inspectAll);
    }

    /**
     * Creates the reports. Only some requests are unanswered at a time, so that renewals do not queue behind them. The answers
     * of the holders' clients are awaited all at once.
     */
    private CompletionStage<List<LockReport>> inspectAll(Set<String> names) {
        List<CompletionStage<Optional<LockReport>>> reports = new ArrayList<>();
        return RequestWindow.each(names, KeyScan.ASKED_AT_ONCE, name -> {
                    CompletionStage<Found> found = request(name);
                    CompletionStage<LockReport> report = found.thenCompose(sound -> report(name, sound));
                    reports.add(KeyScan.withoutForeign(report.thenApply(LockReports::ifInUse)));
                    return found;
                })
                .thenCompose(asked -> Stages.all(reports.stream()))
                .thenApply(found -> found.stream().flatMap(Optional::stream).toList());
    }

    /** Returns the report; empty if the lock is no longer held or waited for. */
    private static Optional<LockReport> ifInUse(LockReport report) {
        return Optional.of(report)
                .filter(used -> used.holder().isPresent() || !used.waiters().isEmpty());
    }
}
