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
import io.holdfast.spi.TogetherStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The locks of a server on which clients of Redisson use the same names.
 *
 * <p>Their waiters are on no queue. So one is always assumed, which bounds how long a name is handed on inside this client; a
 * release never assigns the name, but frees it and tells all who wait, on both sides; and who has released waits a moment
 * before it asks again. A fair place gets the name in its turn when somebody asks while it is free.
 *
 * <p>A read/write lock has another channel at Redisson. Its scripts see whether Redisson waits there: if so they free it as
 * above, and readers do not join others; else they assign it.
 */
public final class BesideRedisson extends ForwardingStore {

    private final Both channels;
    private final YieldDelay yieldDelay;

    /** Those of locks and of read/write locks. */
    private record Both(RedissonChannels locks, RedissonChannels shared) implements Session.Neighbour {

        RedissonChannels of(Mode mode) {
            return mode == Mode.LOCK ? locks : shared;
        }

        @Override
        public void heard(String channel) {
            locks.heard(channel);
            shared.heard(channel);
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

    /** Connects, unless that is to be done later. */
    public static LockStore open(StoreConfig config, RedisAddress server, Driver driver) {
        RedisStore store = new RedisStore(config, server, driver);
        Both channels = new Both(
                new RedissonChannels(config, store.session, RedissonNames::channel),
                new RedissonChannels(config, store.session, RedissonNames::sharedChannel));
        store.session.listenFor(channels);
        return new BesideRedisson(store.open(), channels);
    }

    /** Each name has its turn, and is listened for, by itself. */
    @Override
    public Optional<TogetherStore> together() {
        return Optional.empty();
    }

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        if (request.share().mode() == Mode.PERMITS) {
            return super.acquire(request);
        }
        return yieldDelay
                .inTurn(request.name(), request.tenure(), () -> super.acquire(request))
                .thenApply(reply -> answered(request, reply));
    }

    private Acquire.Reply answered(Acquire request, Acquire.Reply reply) {
        RedissonChannels listening = channels.of(request.share().mode());
        List<TenureId> own = List.of(request.tenure());
        List<TenureId> behind =
                request.behind().stream().map(Acquire.Place::tenure).toList();
        if (reply instanceof Acquire.Refused && request.queueing() != Acquire.Queueing.NONE) {
            listening.waits(
                    request.name(), Stream.concat(own.stream(), behind.stream()).toList());
        } else if (reply instanceof Acquire.Granted granted) {
            listening.ends(request.name(), own);
            if (!behind.isEmpty()) {
                listening.waits(request.name(), behind);
            }
            int waiters = atLeastOne(granted.foreignWaiters());
            return new Acquire.Granted(granted.tokens(), waiters, granted.behind(), granted.serverMicros());
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

    /** What is held does not wait; of an assigned tenure this is the first to tell. */
    private Renew.Reply renewed(Renew request, Renew.Reply reply) {
        if (request.mode() == Mode.PERMITS || !(reply instanceof Renew.Renewed renewed)) {
            return reply;
        }
        channels.of(request.mode()).ends(request.name(), List.of(request.tenure()));
        return new Renew.Renewed(atLeastOne(renewed.foreignWaiters()), renewed.tokens(), renewed.serverMicros());
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        if (request.mode() == Mode.PERMITS) {
            return super.release(request);
        }
        String name = request.name();
        RedissonChannels listening = channels.of(request.mode());
        // a lock's release counts who heard of it, this client as well
        int itself = request.mode() == Mode.LOCK && listening.hears(name) ? 1 : 0;
        yieldDelay.givenUp(request.tenure());
        CompletionStage<Release.Reply> reply = super.release(request.withYield(false));
        yieldDelay.released(name, reply.thenApply(answer -> answer.foreignWaiters() > itself));
        return reply.thenApply(answer -> {
            listening.ends(name, List.of(request.tenure()));
            listening.ends(name, request.places());
            return new Release.Reply(answer.held(), atLeastOne(answer.foreignWaiters()), answer.serverMicros());
        });
    }

    @Override
    public void close() {
        yieldDelay.close();
        super.close();
    }
}
