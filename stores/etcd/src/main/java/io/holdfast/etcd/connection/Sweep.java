package io.holdfast.etcd.connection;

import static java.util.stream.Collectors.toSet;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.RecordText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that deletes the records of names that are not in use. Invariants:
 *
 * <ol>
 *   <li>A record is deleted only if this client has seen it unused for {@link #PAUSE}, and nobody has written it in between.
 *   <li>The tokens of a name continue to rise: the deletion also raises the token floor. A client that makes a record requires the
 *       floor that it has read together with the absence of the record.
 * </ol>
 *
 * <p>A pass visits some records, and the next one those after them.
 */
final class Sweep {

    /** The minimum time for which a record has to be unused. */
    static final Duration PAUSE = Duration.ofMinutes(10);

    private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);

    /** The number of records that are deleted by one request, which needs a condition for each. */
    private static final int DELETED_AT_ONCE = 50;

    /** The number of pages of records that one pass visits. */
    private static final int PAGES = 100;

    private static final int MOST_REMEMBERED = 50_000;

    private final Platform platform;
    private final Platform.Timer timer;
    private final Keys keys;
    private final Supplier<Optional<EtcdSession>> session;

    // ---- only one pass is under way

    private ByteString next;
    private final NavigableMap<ByteString, Unused> unusedRecords =
            new TreeMap<>(ByteString.unsignedLexicographicalComparator());

    /**
     * A record that was not in use.
     *
     * @param revision the revision of its last write
     * @param since the {@code nanoTime} at which it was seen first
     */
    private record Unused(long revision, long since) {}

    /**
     * Creates the task.
     *
     * @param session returns the present session; empty if there is none
     */
    Sweep(Platform platform, Platform.Timer timer, Keys keys, Supplier<Optional<EtcdSession>> session) {
        this.platform = platform;
        this.timer = timer;
        this.keys = keys;
        this.session = session;
        next = keys.records();
    }

    /** Begins a pass after a pause of random length, and repeats it. */
    void later() {
        long spread = Math.floorMod(platform.randomLong(), PAUSE.toNanos());
        timer.schedule(PAUSE.toNanos() + spread, () -> {
            CompletionStage<Void> pass =
                    session.get().map(this::pass).orElseGet(() -> CompletableFuture.completedStage(null));
            var unused = pass.whenComplete((nothing, error) -> {
                if (error != null) {
                    LOG.debug("a sweep has failed; the next one begins in {}", PAUSE, error);
                }
                later();
            });
        });
    }

    /** Visits some records, and deletes those that have been unused for long enough. */
    CompletionStage<Void> pass(EtcdSession present) {
        return pages(present, PAGES);
    }

    private CompletionStage<Void> pages(EtcdSession present, int left) {
        ByteString end = Keys.endOf(keys.records());
        ByteString from = next;
        return present.records(from, end).thenCompose(page -> {
            boolean isLast = page.isEmpty();
            ByteString to = isLast ? end : Keys.after(page.get(page.size() - 1).getKey());
            next = isLast ? keys.records() : to;
            return visit(present, page, forget(from, to))
                    .thenCompose(done ->
                            isLast || left == 1 ? CompletableFuture.completedStage(null) : pages(present, left - 1));
        });
    }

    /** Returns what is known about a range of keys, and forgets it, because some of them may have been deleted. */
    private Map<ByteString, Unused> forget(ByteString from, ByteString to) {
        Map<ByteString, Unused> range = unusedRecords.subMap(from, to);
        Map<ByteString, Unused> known = Map.copyOf(range);
        range.clear();
        return known;
    }

    private CompletionStage<Void> visit(EtcdSession present, List<KeyValue> page, Map<ByteString, Unused> known) {
        Set<String> sessions = page.stream()
                .flatMap(each -> record(each).stream())
                .flatMap(LockRecord::sessions)
                .collect(toSet());
        return (sessions.isEmpty() ? CompletableFuture.completedStage(Set.<String>of()) : present.ended(sessions))
                .thenCompose(ended -> delete(
                        present,
                        page.stream().filter(each -> isOver(each, known, ended)).toList()));
    }

    private static Optional<LockRecord> record(KeyValue found) {
        try {
            return Optional.of(RecordText.decode("", found.getValue().toStringUtf8()));
        } catch (StoreException foreign) {
            return Optional.empty();
        }
    }

    /** Returns {@code true} if a record has been unused for long enough. Otherwise notes when it was seen unused first. */
    private boolean isOver(KeyValue found, Map<ByteString, Unused> earlier, Set<String> ended) {
        Optional<LockRecord> idle = record(found)
                .map(each -> each.endSessionsForSweep(ended::contains, platform.wallMillis()))
                .filter(Sweep::isIdle);
        if (idle.isEmpty()) {
            return false;
        }
        long now = platform.nanoTime();
        Unused known = Optional.ofNullable(earlier.get(found.getKey()))
                .filter(before -> before.revision() == found.getModRevision())
                .orElseGet(() -> new Unused(found.getModRevision(), now));
        long age = now - known.since();
        boolean over = age >= PAUSE.toNanos()
                && idle.get().expire(after(idle.get(), age)).hasNothingButTokens();
        if (!over && unusedRecords.size() < MOST_REMEMBERED) {
            unusedRecords.put(found.getKey(), known);
        }
        return over;
    }

    /** Returns {@code true} if a record is not in use after a pause. */
    private static boolean isIdle(LockRecord record) {
        return !record.expire(after(record, PAUSE.toNanos())).isInUse();
    }

    /**
     * Returns the time of a record some time after its last write. What has a longer life, such as a latch that has opened, counts
     * from the time at which it was seen first, because clocks of different hosts need not agree.
     */
    private static long after(LockRecord record, long nanos) {
        return record.at().orElse(0) + nanos / 1_000;
    }

    private CompletionStage<Void> delete(EtcdSession present, List<KeyValue> records) {
        if (records.isEmpty()) {
            return CompletableFuture.completedStage(null);
        }
        List<KeyValue> first = records.subList(0, Math.min(records.size(), DELETED_AT_ONCE));
        return present.delete(first, floor(first)).thenCompose(deleted -> {
            LOG.debug("{} unused names were swept", deleted.isPresent() ? first.size() : 0);
            return delete(present, records.subList(first.size(), records.size()));
        });
    }

    private static long floor(List<KeyValue> records) {
        return records.stream()
                .flatMap(each -> record(each).stream())
                .mapToLong(record -> record.tokens().last())
                .max()
                .orElse(0);
    }
}
