package io.holdfast.redis.store;

import io.holdfast.redis.script.Session;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The records of clients at one server. */
public record ServerRecords(Session session) implements ClientRegistry.Records {

    @Override
    public CompletionStage<List<String>> read(List<String> keys) {
        return session.send(() -> "read records", redis -> redis.mget(keys.toArray(String[]::new)))
                .thenApply(found ->
                        found.stream().map(each -> each.getValueOrElse("")).toList());
    }

    @Override
    public CompletionStage<?> write(String key, String text, Duration life) {
        return session.send(() -> "record", redis -> redis.set(key, text, SetArgs.Builder.px(life)));
    }

    @Override
    public CompletionStage<?> remove(String key) {
        return session.send(() -> "record", redis -> redis.del(key));
    }
}
