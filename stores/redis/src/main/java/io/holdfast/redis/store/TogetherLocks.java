package io.holdfast.redis.store;

import io.holdfast.redis.script.KeyLayout;
import io.holdfast.redis.script.Script;
import io.holdfast.redis.script.ScriptReply;
import io.holdfast.redis.script.Session;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.TogetherStore;
import io.holdfast.support.TokenUnits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The requests that acquire several locks by one run of a script.
 *
 * @param layout the names of the keys
 * @param before called with the lease of each request before it is sent
 */
record TogetherLocks(Session session, KeyLayout layout, Consumer<Duration> before) implements TogetherStore {

    /** Returns {@code true}, because a single server keeps all names. */
    @Override
    public boolean together(String name, String other) {
        return true;
    }

    @Override
    public CompletionStage<List<Acquire.Reply>> acquire(List<Acquire> all) {
        all.forEach(request -> before.accept(request.lease()));
        Stream<Object> each = all.stream()
                .flatMap(request -> Stream.<Object>of(
                        request.tenure(),
                        RedisStore.millis(request.lease()),
                        TokenUnits.units(request.tokens()),
                        request.notAfter()));
        List<String> names = all.stream().map(Acquire::name).toList();
        return session.run(
                Script.TOGETHER,
                layout.servedKeys(names),
                names,
                reply -> IntStream.range(0, all.size())
                        .mapToObj(i -> acquired(reply, i, all.get(i).lease()))
                        .toList(),
                Stream.concat(each, Stream.of(session.inboxes(names.get(0)))).toArray());
    }

    private static Acquire.Reply acquired(ScriptReply reply, int index, Duration lease) {
        long now = reply.number(1);
        int granted = 2 + 3 * index;
        int refused = 2 + 2 * index;
        return switch (reply.count(0)) {
            case 0 -> new Acquire.Late(now);
            case 1 -> new Acquire.Granted(reply.tokens(granted), lease, reply.count(granted + 2), List.of(), 0, now);
            default -> {
                Optional<String> holder = Optional.of(reply.text(refused + 1)).filter(text -> !text.isEmpty());
                Duration left = LockReports.left(reply.number(refused));
                yield new Acquire.Refused(left, 0, List.of(), holder, now, reply.run());
            }
        };
    }
}
