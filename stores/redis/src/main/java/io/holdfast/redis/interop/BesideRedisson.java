package io.holdfast.redis.interop;

import io.holdfast.redis.connection.Driver;
import io.holdfast.redis.connection.RedisAddress;
import io.holdfast.redis.script.RedissonNames;
import io.holdfast.redis.script.Session;
import io.holdfast.redis.store.RedisStore;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.TenureId;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The store of a server on which clients of Redisson use the same names.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The store always reports at least one waiter, because Redisson's waiters are not in our queue. So the time for which a
 *       client hands the name over locally is limited.
 *   <li>A release of a lock is published on Redisson's channel. If any client receives the message, the lock stays free, and
 *       each client that receives it requests the lock. An assigned lock would keep Redisson out. A fair position is assigned
 *       the lock in its turn, by a request that finds the lock free.
 *   <li>A client that has released a name pauses before it requests the name again. Otherwise its request would always arrive
 *       before those of Redisson (barging).
 * </ol>
 *
 * <p>Redisson publishes releases of a read/write lock on another channel. The scripts check whether Redisson listens there. If
 * so, they free the lock as above, and readers do not join other readers for 200 ms. Otherwise they assign the lock.
 */
public final class BesideRedisson extends ForwardingStore {

    private final Both channels;
    private final YieldDelay yieldDelay;

    /** The channels of locks and of read/write locks. */
    private record Both(RedissonChannels locks, RedissonChannels shared) implements Session.Neighbour {

        RedissonChannels of(Mode mode) {
            return mode == Mode.LOCK ? locks : shared;
        }

        @Override
        public void received(String channel) {
            locks.received(channel);
            shared.received(channel);
        }

        @Override
        public void connected() {
            locks.connected();
            shared.connected();
        }
    }

    private BesideRedisson(RedisStore store, Both channels) {
        super(store);
        this.channels = channels;
        yieldDelay = new YieldDelay(store.session.timer());
    }

    /** Opens the store, and connects unless the client is lazy. */
    public static LockStore open(StoreConfig config, RedisAddress server, Driver driver) {
        RedisStore store = new RedisStore(config, server, driver);
        Both channels = new Both(
                new RedissonChannels(config, store.session, RedissonNames::channel),
                new RedissonChannels(config, store.session, RedissonNames::sharedChannel));
        store.session.setNeighbour(channels);
        return new BesideRedisson(store.open(), channels);
    }

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        if (request.share().mode() == Mode.PERMITS) {
            return super.acquire(request);
        }
        return yieldDelay
                .delay(request.name(), request.tenure(), () -> super.acquire(request))
                .thenApply(reply -> answered(request, reply));
    }

    private Acquire.Reply answered(Acquire request, Acquire.Reply reply) {
        RedissonChannels listening = channels.of(request.share().mode());
        List<TenureId> own = List.of(request.tenure());
        List<TenureId> behind =
                request.behind().stream().map(Acquire.Place::tenure).toList();
        if (reply instanceof Acquire.Refused && request.queueing() != Acquire.Queueing.NONE) {
            listening.addWaiters(
                    request.name(), Stream.concat(own.stream(), behind.stream()).toList());
        } else if (reply instanceof Acquire.Granted grant) {
            listening.removeWaiters(request.name(), own);
            if (!behind.isEmpty()) {
                listening.addWaiters(request.name(), behind);
            }
            int waiters = atLeastOne(grant.foreignWaiters());
            return new Acquire.Granted(grant.tokens(), grant.valid(), waiters, grant.behind(), 0, grant.serverMicros());
        }
        return reply;
    }

    private static int atLeastOne(int waiters) {
        return Math.max(1, waiters);
    }

    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        return super.renew(batch)
                .thenApply(replies -> IntStream.range(0, replies.size())
                        .mapToObj(i -> renewed(batch.get(i), replies.get(i)))
                        .toList());
    }

    /**
     * Reports at least one waiter. It also removes the tenure from the waiters: for an assigned tenure, the first renewal is the
     * first reply that shows that it is held.
     */
    private Renew.Reply renewed(Renew request, Renew.Reply reply) {
        if (request.mode() == Mode.PERMITS || !(reply instanceof Renew.Renewed hold)) {
            return reply;
        }
        channels.of(request.mode()).removeWaiters(request.name(), List.of(request.tenure()));
        return new Renew.Renewed(hold.valid(), atLeastOne(hold.foreignWaiters()), hold.tokens(), hold.serverMicros());
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        if (request.mode() == Mode.PERMITS) {
            return super.release(request);
        }
        String name = request.name();
        RedissonChannels listening = channels.of(request.mode());
        // the reply to the release of a lock counts all receivers of its message, and this client may be one of them
        int own = request.mode() == Mode.LOCK && listening.receives(name) ? 1 : 0;
        yieldDelay.withdraw(request.tenure());
        CompletionStage<Release.Reply> reply = super.release(request.withYield(false));
        yieldDelay.released(name, reply.thenApply(answer -> answer.foreignWaiters() > own));
        return reply.thenApply(answer -> {
            listening.removeWaiters(name, List.of(request.tenure()));
            listening.removeWaiters(name, request.places());
            return new Release.Reply(answer.held(), atLeastOne(answer.foreignWaiters()), answer.serverMicros());
        });
    }

    @Override
    public void close() {
        yieldDelay.close();
        super.close();
    }
}
