package io.holdfast.redis;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import io.holdfast.testkit.Await;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Looks over the shoulders of clients: what the server granted to them, and when they learned that it forgot something. */
final class Grants implements StoreProvider {

    private static final long CLAIM_MICROS = 1_000_000;

    /** A block of tokens. The server granted it at {@code micros} of its clock; the client hears of it after {@code heard}. */
    record Grant(TenureId tenure, String name, TokenBlock tokens, long micros, long heard) {

        boolean gave(Turn turn) {
            return turn.client.equals(tenure.clientId())
                    && turn.name.equals(name)
                    && tokens.first() <= turn.token
                    && turn.token <= tokens.last()
                    && heard <= turn.begun;
        }
    }

    /**
     * An answer that the server does not have the tenure: to a renewal, or to the first release.
     *
     * @param known when the client had taken it in
     */
    record Denial(TenureId tenure, boolean ofRelease, long sent, long heard, long known) {}

    private final StoreProvider provider = new RedisStoreProvider();
    private final Queue<Grant> grants = new ConcurrentLinkedQueue<>();
    private final Queue<String> renewed = new ConcurrentLinkedQueue<>();
    private final Queue<Denial> denials = new ConcurrentLinkedQueue<>();
    private final Set<TenureId> released = ConcurrentHashMap.newKeySet();

    /** The grant that a turn had its token of: the last one, as tokens that were not used may be granted again. */
    Grant of(Turn turn) {
        return grants.stream()
                .filter(grant -> grant.gave(turn))
                .reduce((first, second) -> second)
                .orElseThrow(() -> new AssertionError("nobody granted " + turn));
    }

    /** Waits for an answer that renews the name: for a third of a lease none will be asked for. */
    void awaitRenewal(String name) {
        int before = renewed.size();
        Await.until("it is renewed", () -> renewed.stream().skip(before).anyMatch(name::equals));
    }

    List<Denial> denials() {
        return List.copyOf(denials);
    }

    @Override
    public Set<String> schemes() {
        return provider.schemes();
    }

    @Override
    public LockStore open(StoreConfig config) {
        return new Store(provider.open(new StoreConfig(
                config.uri(),
                config.client(),
                config.platform(),
                config.commandTimeout(),
                config.connectTimeout(),
                config.lazy(),
                config.keyPrefix(),
                config.safety(),
                signal -> {
                    note(signal);
                    config.signals().accept(signal);
                },
                config.describer())));
    }

    private void note(Signal signal) {
        if (signal instanceof Signal.Assigned assigned) {
            note(assigned.tenure(), assigned.name(), assigned.tokens(), assigned.expiresMicros() - CLAIM_MICROS);
        }
    }

    private void note(TenureId tenure, String name, TokenBlock tokens, long micros) {
        grants.add(new Grant(tenure, name, tokens, micros, System.nanoTime()));
    }

    private final class Store extends ForwardingStore {

        Store(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            return tapped(super.acquire(request), reply -> {
                if (reply instanceof Acquire.Granted granted) {
                    note(request.tenure(), request.name(), granted.tokens(), granted.serverMicros());
                }
            });
        }

        @Override
        public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
            long sent = System.nanoTime();
            return tapped(
                    super.renew(batch),
                    replies -> each(batch, replies, this::noteRenewal),
                    (replies, heard) -> each(batch, replies, (request, reply) -> {
                        if (reply instanceof Renew.Lost) {
                            deny(request.tenure(), false, sent, heard);
                        }
                    }));
        }

        private void noteRenewal(Renew request, Renew.Reply reply) {
            if (reply instanceof Renew.Renewed answer) {
                renewed.add(request.name());
                Optional<TokenBlock> more = answer.tokens();
                more.ifPresent(tokens -> note(request.tenure(), request.name(), tokens, answer.serverMicros()));
            }
        }

        @Override
        public CompletionStage<Release.Reply> release(Release request) {
            long sent = System.nanoTime();
            boolean first = released.add(request.tenure());
            return tapped(super.release(request), reply -> {}, (reply, heard) -> {
                if (first && !reply.held()) {
                    deny(request.tenure(), true, sent, heard);
                }
            });
        }
    }

    private void deny(TenureId tenure, boolean ofRelease, long sent, long heard) {
        denials.add(new Denial(tenure, ofRelease, sent, heard, System.nanoTime()));
    }

    private interface Pair {
        void see(Renew request, Renew.Reply reply);
    }

    private static void each(List<Renew> batch, List<Renew.Reply> replies, Pair pair) {
        for (int i = 0; i < batch.size(); i++) {
            pair.see(batch.get(i), replies.get(i));
        }
    }

    private interface Afterwards<T> {
        void look(T reply, long heard);
    }

    private static <T> CompletionStage<T> tapped(CompletionStage<T> stage, Consumer<T> before) {
        return tapped(stage, before, (reply, heard) -> {});
    }

    /** Looks at a reply before the client does, and again when it has taken it in. */
    private static <T> CompletionStage<T> tapped(CompletionStage<T> stage, Consumer<T> before, Afterwards<T> after) {
        CompletableFuture<T> out = new CompletableFuture<>();
        stage.whenComplete((reply, error) -> {
            if (error != null) {
                out.completeExceptionally(error);
                return;
            }
            long heard = System.nanoTime();
            before.accept(reply);
            out.complete(reply);
            after.look(reply, heard);
        });
        return out;
    }
}
