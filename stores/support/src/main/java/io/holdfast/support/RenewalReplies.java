package io.holdfast.support;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The replies to a batch of renewals that a store answers in several ways. */
public final class RenewalReplies {

    private RenewalReplies() {}

    /**
     * Renews those of a batch that have no reply yet, and returns all replies in the order of the batch. If some have one, a failure
     * of the others is a reply to each of them.
     *
     * @param known the replies to some of the batch
     * @param renew renews the others
     */
    public static CompletionStage<List<Renew.Reply>> withOthers(
            List<Renew> batch,
            Map<Renew, Renew.Reply> known,
            Function<List<Renew>, CompletionStage<List<Renew.Reply>>> renew) {
        if (known.isEmpty()) {
            return renew.apply(batch);
        }
        List<Renew> others =
                batch.stream().filter(request -> !known.containsKey(request)).toList();
        CompletionStage<List<Renew.Reply>> rest =
                others.isEmpty() ? CompletableFuture.completedStage(List.of()) : renew.apply(others);
        return rest.exceptionally(
                        e -> others.stream().map(request -> failed(request, e)).toList())
                .thenApply(replies -> {
                    Iterator<Renew.Reply> next = replies.iterator();
                    return batch.stream()
                            .map(request ->
                                    Optional.ofNullable(known.get(request)).orElseGet(next::next))
                            .toList();
                });
    }

    /** Returns the reply to a renewal that has failed. */
    public static Renew.Reply failed(Renew request, Throwable error) {
        Throwable cause = Stages.cause(error);
        return new Renew.Failed(
                cause instanceof StoreException known
                        ? known
                        : new StoreException(Effect.UNKNOWN, quoted(request.name()) + " was not renewed", cause));
    }
}
