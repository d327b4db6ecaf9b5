package io.holdfast.redis.store;

import io.holdfast.redis.script.Session;
import io.holdfast.spi.StoreException;
import io.holdfast.support.Stages;
import io.lettuce.core.KeyScanArgs;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A SCAN over the keys of a server, and requests for the names that it finds. */
record KeyScan(Session session) {

    private static final int SCAN_COUNT = 1_000;

    /** The maximum number of unanswered requests while names are listed. A renewal may queue behind so many. */
    static final int ASKED_AT_ONCE = 32;

    /** Returns the names in the keys of the given type that match the pattern. */
    CompletionStage<Set<String>> names(String type, String pattern, Function<String, String> name) {
        ScanArgs args = KeyScanArgs.Builder.type(type).match(pattern).limit(SCAN_COUNT);
        return scan(ScanCursor.INITIAL, args, name, new TreeSet<>());
    }

    private CompletionStage<Set<String>> scan(
            ScanCursor from, ScanArgs args, Function<String, String> name, Set<String> names) {
        return session.send(() -> "list", redis -> redis.scan(from, args)).thenCompose(page -> {
            page.getKeys().forEach(key -> names.add(name.apply(key)));
            return page.isFinished() ? CompletableFuture.completedStage(names) : scan(page, args, name, names);
        });
    }

    /** Sends a request for each name. Only some are unanswered at a time, so that renewals do not queue behind them. */
    static <T> CompletionStage<List<T>> each(
            Collection<String> names, Function<String, CompletionStage<Optional<T>>> question) {
        List<CompletionStage<Optional<T>>> answers = new ArrayList<>();
        return RequestWindow.each(names, ASKED_AT_ONCE, name -> {
                    CompletionStage<Optional<T>> answer = question.apply(name);
                    answers.add(withoutForeign(answer));
                    return answer;
                })
                .thenCompose(asked -> Stages.all(answers.stream()))
                .thenApply(all -> all.stream().flatMap(Optional::stream).toList());
    }

    /**
     * Returns the answer; empty if the request was refused, for example because the key belongs to another program. Any other
     * failure would make the list incomplete, so it fails the list.
     */
    static <T> CompletionStage<Optional<T>> withoutForeign(CompletionStage<Optional<T>> answer) {
        return answer.exceptionallyCompose(error -> {
            Throwable cause =
                    error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
            boolean refused = cause instanceof StoreException store && store.effect() == StoreException.Effect.REFUSED;
            return refused ? CompletableFuture.completedStage(Optional.empty()) : CompletableFuture.failedStage(cause);
        });
    }
}
