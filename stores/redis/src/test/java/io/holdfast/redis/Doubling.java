package io.holdfast.redis;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.StoreProvider;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;

/**
 * Sends each request twice, one copy behind the other on the same connection, and drops one of the replies: of acquires and
 * renewals the first and the second in turn, of releases the one that
 * found nothing.
 *
 * <p>The reply to a release that counts is the one that says that the hold was still there: mostly the first, but a script
 * that the server forgot is sent anew, behind the second copy.
 */
final class Doubling implements StoreProvider {

    final AtomicLong acquires = new AtomicLong();
    final AtomicLong renewals = new AtomicLong();
    final AtomicLong releases = new AtomicLong();
    /** Where the second copy did something that the first had not done. */
    final Queue<String> differences = new ConcurrentLinkedQueue<>();

    private final StoreProvider provider = new RedisStoreProvider();

    @Override
    public Set<String> schemes() {
        return provider.schemes();
    }

    @Override
    public LockStore open(StoreConfig config) {
        return new Store(provider.open(config));
    }

    private final class Store extends ForwardingStore {

        Store(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            boolean hearTheFirst = acquires.incrementAndGet() % 2 == 0;
            return twice(
                    () -> super.acquire(request),
                    (first, second) -> hearTheFirst ? first : second,
                    Doubling::isOneGrant);
        }

        @Override
        public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
            boolean hearTheFirst = renewals.incrementAndGet() % 2 == 0;
            return twice(
                    () -> super.renew(batch),
                    (first, second) -> hearTheFirst ? first : second,
                    (first, second) -> true);
        }

        @Override
        public CompletionStage<Release.Reply> release(Release request) {
            releases.incrementAndGet();
            return twice(
                    () -> super.release(request),
                    (first, second) -> first.held() ? first : second,
                    (first, second) -> !(first.held() && second.held()));
        }
    }

    /** A script that the server forgot is sent anew, behind the second copy. */
    private static boolean isOneGrant(Acquire.Reply first, Acquire.Reply second) {
        return !(first instanceof Acquire.Granted one)
                || second instanceof Acquire.Late
                || (second instanceof Acquire.Granted two
                        && (two.tokens().first() > one.tokens().last()
                                || one.tokens().first() > two.tokens().last()));
    }

    /** Nobody hears of the first reply before both copies are sent. */
    private <T> CompletionStage<T> twice(
            Supplier<CompletionStage<T>> request, BinaryOperator<T> heard, BiPredicate<T, T> isOneEffect) {
        CompletionStage<T> first = request.get();
        CompletionStage<T> second = request.get();
        CompletionStage<Void> unused = first.thenAcceptBoth(second, (one, two) -> {
            if (!isOneEffect.test(one, two)) {
                differences.add("first " + one + ", then " + two);
            }
        });
        return first.thenCombine(second, heard).exceptionallyCompose(error -> heard(first, second));
    }

    /** What failed in one copy may have been done by the other. */
    private static <T> CompletionStage<T> heard(CompletionStage<T> reply, CompletionStage<T> dropped) {
        return reply.exceptionallyCompose(error ->
                dropped.handle((ignored, other) -> worse(error, other)).thenCompose(CompletableFuture::failedStage));
    }

    private static Throwable worse(Throwable error, Throwable other) {
        return effect(other) == Effect.UNKNOWN ? new StoreException(Effect.UNKNOWN, "no answer came: " + other) : error;
    }

    private static Effect effect(Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        return cause instanceof StoreException known ? known.effect() : Effect.UNKNOWN;
    }
}
