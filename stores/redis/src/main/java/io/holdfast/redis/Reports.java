package io.holdfast.redis;

import io.holdfast.LockReport;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import io.holdfast.support.TokenUnits;
import io.lettuce.core.KeyScanArgs;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** Who holds what, and who waits: from the lock, the records of the clients, and the holder itself. */
record Reports(Session session, Layout layout, Presence presence) {

    private static final int SCAN_COUNT = 1_000;

    /** What a renewal waits behind at most while locks are listed. */
    private static final int INSPECTED_AT_ONCE = 32;

    private static final double FRONT = 1L << 52;
    private static final Duration ENDLESS = Duration.ofDays(365);

    CompletionStage<LockReport> inspect(String name) {
        return ask(name).thenCompose(reply -> report(name, reply));
    }

    private CompletionStage<Reply> ask(String name) {
        return run(Script.INSPECT, Script.SHARE_INSPECT, name, "");
    }

    /** A read/write lock says that it is one, and is then asked for as such. */
    private CompletionStage<Reply> run(Script script, Script ifShared, String name, Object... arguments) {
        return session.run(script, name, reply -> reply, arguments)
                .thenCompose(reply -> reply.values().size() > 3 && reply.text(3).equals("mode")
                        ? session.run(ifShared, sharedKeys(name), List.of(name), shared -> shared, arguments)
                        : CompletableFuture.completedStage(reply));
    }

    private String[] sharedKeys(String name) {
        return Stream.concat(Stream.of(layout.sharedKeys(name)), Stream.of(layout.timers(name), layout.known(name)))
                .toArray(String[]::new);
    }

    /** Frees the lock. Who held it still answers, as it has to ask the server before it believes that it was lost. */
    CompletionStage<Optional<LockReport.Holder>> force(String name) {
        return run(Script.FORCE, Script.SHARE_FORCE, name, session.inboxes(name), session.sharedChannel(name))
                .thenCompose(reply -> report(name, reply))
                .thenApply(LockReport::holder);
    }

    /** From the lease left, the highest unit, the number of holders, and in turn holders and what is left, waiters and arrivals. */
    private CompletionStage<LockReport> report(String name, Reply reply) {
        int held = reply.count(2);
        List<String> fields = new ArrayList<>();
        List<Double> times = new ArrayList<>();
        for (int i = 3; i < reply.values().size(); i += 2) {
            fields.add(reply.text(i));
            times.add(Double.valueOf(reply.text(i + 1)));
        }
        CompletionStage<List<Optional<HoldDescription>>> descriptions =
                Stages.all(fields.stream().limit(held).map(field -> description(field, name)));
        return presence.clients(fields).thenCombine(descriptions, (clients, holds) -> {
            List<LockReport.Holder> holders = new ArrayList<>();
            List<LockReport.Waiter> waiters = new ArrayList<>();
            for (int i = 0; i < held; i++) {
                Duration left = left(times.get(i).longValue());
                holders.add(HoldDescription.holder(clients.get(i), holds.get(i), left));
            }
            for (int i = held; i < fields.size(); i++) {
                waiters.add(new LockReport.Waiter(clients.get(i), instant(times.get(i))));
            }
            return new LockReport(name, holders, waiters, TokenUnits.lastOf(reply.number(1)));
        });
    }

    /** A key without an end is kept by another program; it is shown, and asked for, as if it had a very late one. */
    static Duration left(long millis) {
        return millis < 0 ? ENDLESS : Duration.ofMillis(millis);
    }

    /** Below zero for one who reads and would write, and so is before all others. */
    private static Instant instant(double arrival) {
        double micros = arrival < 0 ? arrival + FRONT : arrival;
        return Instant.EPOCH.plusSeconds((long) micros / 1_000_000).plusNanos((long) micros % 1_000_000 * 1_000);
    }

    private CompletionStage<Optional<HoldDescription>> description(String holder, String name) {
        String tenure = Presence.tenure(holder);
        return tenure.matches(".+:-?\\d{1,18}")
                ? session.mailbox.describe(TenureId.parse(tenure), name)
                : CompletableFuture.completedStage(Optional.empty());
    }

    CompletionStage<List<LockReport>> list(String start) {
        return scan(ScanCursor.INITIAL, args("hash", layout.locks(start)), new TreeSet<>())
                .thenCompose(names -> scan(ScanCursor.INITIAL, args("zset", layout.queues(start)), names))
                .thenCompose(this::inspectAll);
    }

    /** A few at a time, so that renewals are not held up; the answers of the holders' clients are waited for all at once. */
    private CompletionStage<List<LockReport>> inspectAll(Set<String> names) {
        List<CompletionStage<Optional<LockReport>>> reports = new ArrayList<>();
        return InTurn.each(names, INSPECTED_AT_ONCE, name -> {
                    CompletionStage<Reply> reply = ask(name);
                    reports.add(ifSound(reply.thenCompose(sound -> report(name, sound))));
                    return reply;
                })
                .thenCompose(asked -> Stages.all(reports.stream()))
                .thenApply(found -> found.stream().flatMap(Optional::stream).toList());
    }

    private static ScanArgs args(String type, String pattern) {
        return KeyScanArgs.Builder.type(type).match(pattern).limit(SCAN_COUNT);
    }

    private CompletionStage<Set<String>> scan(ScanCursor from, ScanArgs args, Set<String> names) {
        return session.send(() -> "list", redis -> redis.scan(from, args)).thenCompose(page -> {
            page.getKeys().forEach(key -> names.add(layout.name(key)));
            return page.isFinished() ? CompletableFuture.completedStage(names) : scan(page, args, names);
        });
    }

    /** Empty for what is no lock, for a lock that was released meanwhile, and for one whose keys are broken. */
    private static CompletionStage<Optional<LockReport>> ifSound(CompletionStage<LockReport> inspected) {
        return inspected.handle((report, error) -> Optional.ofNullable(report)
                .filter(sound -> sound.holder().isPresent() || !sound.waiters().isEmpty()));
    }
}
