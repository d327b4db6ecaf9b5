package io.holdfast.redis.store;

import io.holdfast.redis.script.KeyLayout;
import io.holdfast.redis.script.Script;
import io.holdfast.redis.script.ScriptReply;
import io.holdfast.redis.script.Session;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import io.holdfast.support.TokenUnits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;

/** The requests of {@link RedisStore} for read/write locks. */
record SharedLocks(Session session, KeyLayout layout) {

    CompletionStage<Acquire.Reply> acquire(Acquire request, Function<ScriptReply, Acquire.Reply> decoder) {
        return session.run(
                Script.SHARE_ACQUIRE,
                keys(request.name(), request.tenure(), request.share().mode()),
                List.of(request.name()),
                decoder,
                request.tenure(),
                RedisStore.millis(request.lease()),
                TokenUnits.units(request.tokens()),
                request.notAfter(),
                request.queueing() == Acquire.Queueing.NONE ? 0 : 1,
                request.arrival(),
                session.inboxes(request.name()),
                KeyLayout.modeName(request.share().mode()),
                request.share().beside().map(Object::toString).orElse(""),
                session.sharedChannel(request.name()));
    }

    CompletionStage<List<Renew.Reply>> renew(List<Renew> batch, Function<ScriptReply, List<Renew.Reply>> decoder) {
        List<Object> arguments = new ArrayList<>();
        for (Renew request : batch) {
            arguments.addAll(List.of(
                    request.tenure(),
                    RedisStore.millis(request.lease()),
                    TokenUnits.units(request.tokens()),
                    KeyLayout.modeName(request.mode()),
                    TokenUnits.unit(request.floor())));
        }
        String[] keys = batch.stream()
                .flatMap(request -> layout.sharedKeys(request.name(), request.tenure(), request.mode()))
                .toArray(String[]::new);
        List<String> names = batch.stream().map(Renew::name).toList();
        return session.run(Script.SHARE_RENEW, keys, names, decoder, arguments.toArray());
    }

    CompletionStage<Release.Reply> release(Release request, Function<ScriptReply, Release.Reply> decoder) {
        return Session.runToEnd(
                () -> session.run(
                        Script.SHARE_RELEASE,
                        keys(request.name(), request.tenure(), request.mode()),
                        List.of(request.name()),
                        reply -> reply,
                        request.tenure(),
                        session.inboxes(request.name()),
                        KeyLayout.modeName(request.mode()),
                        session.sharedChannel(request.name())),
                decoder);
    }

    private String[] keys(String name, TenureId tenure, Mode mode) {
        return Stream.concat(layout.sharedKeys(name, tenure, mode), Stream.of(layout.timers(name), layout.known(name)))
                .toArray(String[]::new);
    }
}
