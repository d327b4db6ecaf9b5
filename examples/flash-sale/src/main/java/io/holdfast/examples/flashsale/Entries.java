package io.holdfast.examples.flashsale;

import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.stream.Stream;

/** All entries of a stream in Redis, read page by page. */
final class Entries {

    private static final int PAGE = 10_000;

    private final RedisCommands<String, String> redis;
    private final String key;

    Entries(RedisCommands<String, String> redis, String key) {
        this.redis = redis;
        this.key = key;
    }

    /** An entry with the server's time of its write. */
    record Timed(long millis, Entry entry) {

        private static Timed of(StreamMessage<String, String> message) {
            String id = message.getId();
            return new Timed(Long.parseLong(id.substring(0, id.indexOf('-'))), Entry.of(message.getBody()));
        }
    }

    Stream<Timed> stream() {
        return Stream.iterate(page(Range.unbounded()), page -> !page.isEmpty(), this::after)
                .flatMap(page -> page.stream().map(Timed::of));
    }

    private List<StreamMessage<String, String>> after(List<StreamMessage<String, String>> page) {
        String last = page.get(page.size() - 1).getId();
        return page(Range.from(Range.Boundary.excluding(last), Range.Boundary.unbounded()));
    }

    private List<StreamMessage<String, String>> page(Range<String> range) {
        return redis.xrange(key, range, Limit.from(PAGE));
    }
}
