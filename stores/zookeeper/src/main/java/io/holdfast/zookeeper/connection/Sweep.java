package io.holdfast.zookeeper.connection;

import static java.util.stream.Collectors.groupingBy;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.support.Stages;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.RecordText;
import io.holdfast.zookeeper.connection.Requests.Data;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.zookeeper.Op;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that deletes the records of names that are not in use, and the inboxes of sessions that have ended.
 *
 * <p>ZooKeeper counts the versions of a node from 0 whenever the node is created. So a write that is guarded by a version could
 * hit a later life of the node (ABA). Such a write does not exist, because of these invariants:
 *
 * <ol>
 *   <li>A record is deleted only if one client has seen it twice, unused, {@link #pause} apart, and nobody has written it in
 *       between. A session that held it at the first look is among the living ones at the second look.
 *   <li>A client uses a version that it has read for at most a command timeout. A request that it has sent is applied while its
 *       session lives, and otherwise never; and it ends the connection if there is no answer within the session timeout. Both
 *       times together are shorter than the pause.
 *   <li>The tokens of a name continue to rise: the deletion also raises the token unit in the folder of the record. A client that
 *       creates a record has read that unit after it has seen that there is no record.
 * </ol>
 *
 * <p>An inbox exists before its session. So it is deleted only if it was seen twice without the session.
 */
final class Sweep {

    private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);
    private static final Duration SHORTEST_PAUSE = Duration.ofMinutes(10);

    /** The number of sessions whose last heartbeat is read, to learn the time of the leader. */
    private static final int SESSIONS_ASKED = 10;

    /** The number of folders that are visited in one pass. */
    private static final int FOLDERS_AT_ONCE = 16;

    private final Platform platform;
    private final Platform.Timer timer;
    private final Paths paths;
    private final Duration pause;
    private final Supplier<Optional<Requests>> requests;

    // ---- only one pass is under way

    private Map<String, Long> unusedRecords = new HashMap<>();
    private Set<String> orphans = new HashSet<>();

    /**
     * Creates the task.
     *
     * @param longest the time within which every request that uses an earlier reading has ended
     * @param requests returns the requests of the present connection; empty if there is none
     */
    Sweep(
            Platform platform,
            Platform.Timer timer,
            Paths paths,
            Duration longest,
            Supplier<Optional<Requests>> requests) {
        this.platform = platform;
        this.timer = timer;
        this.paths = paths;
        this.requests = requests;
        Duration twice = longest.multipliedBy(2);
        pause = twice.compareTo(SHORTEST_PAUSE) > 0 ? twice : SHORTEST_PAUSE;
    }

    /** Returns the token unit in the data of a folder; 0 if there is none. */
    static long floor(String data) {
        return data.isEmpty() ? 0 : Long.parseLong(data);
    }

    Duration pause() {
        return pause;
    }

    /** Begins a pass after a pause of random length, and repeats it. */
    void later() {
        long spread = Math.floorMod(platform.randomLong(), pause.toNanos());
        timer.schedule(pause.toNanos() + spread, () -> {
            int first = Math.floorMod((int) platform.randomLong(), Paths.FOLDERS / FOLDERS_AT_ONCE) * FOLDERS_AT_ONCE;
            CompletionStage<Void> pass = requests.get()
                    .map(present -> pass(
                            present,
                            IntStream.range(first, first + FOLDERS_AT_ONCE)
                                    .boxed()
                                    .toList()))
                    .orElseGet(() -> CompletableFuture.completedStage(null));
            var unused = pass.whenComplete((done, error) -> {
                if (error != null) {
                    LOG.debug("a sweep has failed; the next one begins in {}", pause, error);
                }
                later();
            });
        });
    }

    /** Deletes what the last pass has found, if it is still unused, and looks for more. Passes are a pause apart. */
    CompletionStage<Void> pass(Requests present, List<Integer> folders) {
        Map<String, Long> seen = unusedRecords;
        Set<String> without = orphans;
        unusedRecords = new HashMap<>();
        orphans = new HashSet<>();
        // the sessions are read after the inboxes, because an inbox exists before its session
        return present.children(paths.inboxes())
                .thenCombine(
                        alive(present),
                        (inboxes, alive) -> lookForOrphans(present, inboxes, alive, without)
                                .thenCompose(done -> deleteUnchanged(present, seen, alive))
                                .thenCompose(done ->
                                        Stages.inTurn(folders, 1, each -> look(present, paths.folder(each), alive))))
                .thenCompose(looked -> looked)
                .thenApply(done -> null);
    }

    // ---- records

    /**
     * The sessions that live.
     *
     * @param leaderMillis the time of the leader's clock when one of them was last written
     */
    private record Alive(Set<String> sessions, long leaderMillis) {}

    private CompletionStage<Alive> alive(Requests present) {
        return present.children(paths.sessions())
                .thenCompose(sessions -> Stages.all(
                                sessions.stream().limit(SESSIONS_ASKED).map(each -> present.get(paths.session(each))))
                        .thenApply(found -> new Alive(
                                Set.copyOf(sessions),
                                found.stream()
                                        .flatMap(Optional::stream)
                                        .mapToLong(data -> data.stat().getMtime())
                                        .max()
                                        .orElse(0))));
    }

    private CompletionStage<Void> look(Requests present, String folder, Alive alive) {
        return present.children(folder)
                .thenCompose(names -> Stages.inTurn(names, Requests.AT_ONCE, name -> {
                    String path = folder + "/" + name;
                    return present.get(path)
                            .thenAccept(found -> found.filter(data -> isUnused(data, alive))
                                    .ifPresent(data ->
                                            unusedRecords.put(path, data.stat().getMzxid())));
                }))
                .thenApply(done -> null);
    }

    /**
     * Returns {@code true} if nothing is left in a record after a pause. What has a longer life, such as a latch that has opened,
     * counts from the last write, by the clock of the leader. That clock may be wrong, which does no harm to an unused name.
     */
    private boolean isUnused(Data data, Alive alive) {
        try {
            LockRecord record = record(data)
                    .endSessionsForSweep(session -> !alive.sessions().contains(session), platform.wallMillis());
            long written = record.at().orElse(0);
            boolean idle = !record.expire(written + pause.toNanos() / 1_000).isInUse();
            long age = Math.max(
                    pause.toMillis(), alive.leaderMillis() - data.stat().getMtime());
            return idle && record.expire(written + age * 1_000).hasNothingButTokens();
        } catch (StoreException foreign) {
            return false;
        }
    }

    private static LockRecord record(Data data) {
        return RecordText.decode("", data.text());
    }

    /** A record that is unused, and was not written since it was seen first. */
    private record Unused(String path, Data data) {}

    private CompletionStage<Void> deleteUnchanged(Requests present, Map<String, Long> seen, Alive alive) {
        Map<String, List<Map.Entry<String, Long>>> byFolder = seen.entrySet().stream()
                .collect(groupingBy(
                        each -> each.getKey().substring(0, each.getKey().lastIndexOf('/'))));
        List<Batch> batches = byFolder.entrySet().stream()
                .flatMap(each -> Batch.of(each.getKey(), each.getValue()))
                .toList();
        return Stages.inTurn(batches, 1, batch -> delete(present, batch, alive)).thenApply(done -> null);
    }

    /**
     * Some records of a folder, each with the number of its last write when it was seen. One request deletes them all and raises the
     * folder's token unit, because each such request changes the version of the folder, by which it is guarded.
     */
    private record Batch(String folder, List<Map.Entry<String, Long>> seen) {

        private static final int SIZE = 50;

        static Stream<Batch> of(String folder, List<Map.Entry<String, Long>> seen) {
            return IntStream.iterate(0, from -> from < seen.size(), from -> from + SIZE)
                    .mapToObj(from -> new Batch(folder, seen.subList(from, Math.min(seen.size(), from + SIZE))));
        }
    }

    private CompletionStage<Void> delete(Requests present, Batch batch, Alive alive) {
        CompletionStage<Optional<Data>> folder = present.get(batch.folder());
        return Stages.all(batch.seen().stream().map(each -> unchanged(present, each.getKey(), each.getValue(), alive)))
                .thenCombine(
                        folder,
                        (found, above) -> above.map(data -> delete(
                                        present,
                                        batch.folder(),
                                        data,
                                        found.stream().flatMap(Optional::stream).toList()))
                                .orElseGet(() -> CompletableFuture.completedStage(null)))
                .thenCompose(deleted -> deleted);
    }

    private CompletionStage<Optional<Unused>> unchanged(Requests present, String path, long written, Alive alive) {
        return present.get(path)
                .thenApply(found -> found.filter(data -> data.stat().getMzxid() == written)
                        .filter(data -> isUnused(data, alive))
                        .map(data -> new Unused(path, data)));
    }

    private static CompletionStage<Void> delete(Requests present, String folder, Data above, List<Unused> records) {
        if (records.isEmpty()) {
            return CompletableFuture.completedStage(null);
        }
        long floor = records.stream()
                .mapToLong(each -> record(each.data()).tokens().last())
                .reduce(floor(above.text()), Math::max);
        byte[] raised = Long.toString(floor).getBytes(StandardCharsets.US_ASCII);
        List<Op> operations = new ArrayList<>();
        operations.add(Op.setData(folder, raised, above.stat().getVersion()));
        records.forEach(
                each -> operations.add(Op.delete(each.path(), each.data().stat().getVersion())));
        return present.several(operations)
                .thenCompose(answer -> answer.firstFailure() > 0
                        ? delete(present, folder, above, without(records, answer.firstFailure() - 1))
                        : CompletableFuture.completedStage(null));
    }

    /** Returns the records without the one that was not deleted: it has changed, or has children. */
    private static List<Unused> without(List<Unused> records, int index) {
        List<Unused> others = new ArrayList<>(records);
        var unused = others.remove(index);
        return others;
    }

    // ---- inboxes

    private CompletionStage<List<Void>> lookForOrphans(
            Requests present, List<String> inboxes, Alive alive, Set<String> seenBefore) {
        orphans.addAll(inboxes);
        orphans.removeAll(alive.sessions());
        return Stages.all(orphans.stream()
                .filter(seenBefore::contains)
                .map(session -> deleteInbox(present, paths.inbox(session))));
    }

    private static CompletionStage<Void> deleteInbox(Requests present, String inbox) {
        return present.children(inbox)
                .thenCompose(
                        names -> Stages.inTurn(names, Requests.AT_ONCE, name -> present.delete(inbox + "/" + name)))
                .thenCompose(done -> present.delete(inbox))
                .thenApply(done -> null);
    }
}
