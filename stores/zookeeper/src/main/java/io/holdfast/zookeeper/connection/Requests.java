package io.holdfast.zookeeper.connection;

import io.holdfast.support.Stages;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/**
 * The requests of one ZooKeeper handle, as stages. ZooKeeper answers them in the order in which they were sent, and completes the
 * stages on its event thread. A stage fails with a {@link KeeperException}.
 *
 * @param acl the access list of the nodes that are created
 */
record Requests(ZooKeeper handle, List<ACL> acl) {

    /** The number of requests of a long task that are under way. Heartbeats and renewals wait behind them. */
    static final int AT_ONCE = 100;

    /** The data and the state of a node. */
    record Data(String text, Stat stat) {}

    /**
     * The answer to several operations, all or nothing.
     *
     * @param code the code of the first operation that did not apply
     */
    record Several(Code code, List<OpResult> results) {

        /** Returns the index of the first operation that did not apply; -1 if all were applied. */
        int firstFailure() {
            for (int i = 0; i < results.size(); i++) {
                if (results.get(i) instanceof OpResult.ErrorResult error && error.getErr() != Code.OK.intValue()) {
                    return i;
                }
            }
            return -1;
        }
    }

    private static <T> void complete(CompletableFuture<T> stage, int code, String path, T value) {
        complete(stage, code, path, value, Map.of());
    }

    /**
     * Completes a stage.
     *
     * @param answers what the codes mean that are answers, and not failures
     */
    private static <T> void complete(
            CompletableFuture<T> stage, int number, String path, T value, Map<Code, T> answers) {
        Code code = Code.get(number);
        T answer = code == Code.OK ? value : answers.get(code);
        if (answer != null) {
            stage.complete(answer);
        } else {
            stage.completeExceptionally(KeeperException.create(code, path));
        }
    }

    /** Catches up with the leader, so that the next read sees everything that was written before this call. */
    CompletionStage<String> sync(String path) {
        CompletableFuture<String> stage = new CompletableFuture<>();
        handle.sync(path, (code, at, context) -> complete(stage, code, at, path), stage);
        return stage;
    }

    /** Reads a node; empty if there is none. */
    CompletionStage<Optional<Data>> get(String path) {
        CompletableFuture<Optional<Data>> stage = new CompletableFuture<>();
        handle.getData(
                path,
                false,
                (code, at, context, bytes, stat) -> complete(
                        stage,
                        code,
                        at,
                        Optional.of(new Data(bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8), stat)),
                        Map.of(Code.NONODE, Optional.empty())),
                stage);
        return stage;
    }

    CompletionStage<Boolean> exists(String path) {
        CompletableFuture<Boolean> stage = new CompletableFuture<>();
        handle.exists(
                path,
                false,
                (code, at, context, stat) -> complete(stage, code, at, true, Map.of(Code.NONODE, false)),
                stage);
        return stage;
    }

    /** Returns the names of the children; none if there is no node. */
    CompletionStage<List<String>> children(String path) {
        CompletableFuture<List<String>> stage = new CompletableFuture<>();
        handle.getChildren(
                path,
                false,
                (int code, String at, Object context, List<String> names) ->
                        complete(stage, code, at, names, Map.of(Code.NONODE, List.of())),
                stage);
        return stage;
    }

    CompletionStage<Stat> set(String path, byte[] data, int version) {
        CompletableFuture<Stat> stage = new CompletableFuture<>();
        handle.setData(path, data, version, (code, at, context, stat) -> complete(stage, code, at, stat), stage);
        return stage;
    }

    CompletionStage<String> create(String path, byte[] data, CreateMode mode) {
        return create(path, data, mode, Map.of());
    }

    /** Creates a node unless there is one. */
    CompletionStage<String> ensure(String path, byte[] data, CreateMode mode) {
        return create(path, data, mode, Map.of(Code.NODEEXISTS, path));
    }

    /**
     * Creates a parent unless there is one. Returns the refusal if the access list does not allow it: the parent may exist in a place
     * where this client may create nothing.
     */
    CompletionStage<Optional<KeeperException>> ensureParent(String path) {
        return ensure(path, new byte[0], CreateMode.PERSISTENT)
                .thenApply(made -> Optional.<KeeperException>empty())
                .exceptionallyCompose(
                        error -> Stages.cause(error) instanceof KeeperException refusal && refusal.code() == Code.NOAUTH
                                ? CompletableFuture.completedStage(Optional.of(refusal))
                                : CompletableFuture.failedStage(Stages.cause(error)));
    }

    private CompletionStage<String> create(String path, byte[] data, CreateMode mode, Map<Code, String> answers) {
        CompletableFuture<String> stage = new CompletableFuture<>();
        handle.create(
                path, data, acl, mode, (code, at, context, name) -> complete(stage, code, at, path, answers), stage);
        return stage;
    }

    /** Deletes a node, if there is one. */
    CompletionStage<String> delete(String path) {
        CompletableFuture<String> stage = new CompletableFuture<>();
        handle.delete(
                path, -1, (code, at, context) -> complete(stage, code, at, path, Map.of(Code.NONODE, path)), stage);
        return stage;
    }

    /** Watches a node and everything below it until the session ends. Events go to the watcher of the handle. */
    CompletionStage<String> watch(String path) {
        return watch(path, AddWatchMode.PERSISTENT_RECURSIVE);
    }

    /** Watches a node, but not what is below it. */
    CompletionStage<String> watchAlone(String path) {
        return watch(path, AddWatchMode.PERSISTENT);
    }

    private CompletionStage<String> watch(String path, AddWatchMode mode) {
        CompletableFuture<String> stage = new CompletableFuture<>();
        handle.addWatch(path, mode, (code, at, context) -> complete(stage, code, at, path), stage);
        return stage;
    }

    /** Applies all operations or none. An operation that does not apply is an answer, and not a failure. */
    CompletionStage<Several> several(List<Op> operations) {
        CompletableFuture<Several> stage = new CompletableFuture<>();
        handle.multi(
                operations,
                (code, at, context, results) -> {
                    if (results != null && !results.isEmpty()) {
                        stage.complete(new Several(Code.get(code), results));
                    } else {
                        complete(stage, code, at, new Several(Code.get(code), List.of()));
                    }
                },
                stage);
        return stage;
    }
}
