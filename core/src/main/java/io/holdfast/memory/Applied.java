package io.holdfast.memory;

import io.holdfast.spi.TenureId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The changes that were applied to a name in the last minute, so that a duplicate of a request changes nothing. */
final class Applied {

    private static final long LIFE = TimeUnit.MINUTES.toMicros(1);

    private record Answer(boolean applied, long at) {}

    private final Map<TenureId, Answer> answers = new LinkedHashMap<>(2);

    /** Returns the answer to a change; empty if the change has not been applied. */
    Optional<Boolean> answer(TenureId change) {
        return Optional.ofNullable(answers.get(change)).map(Answer::applied);
    }

    boolean isForgotten(long now) {
        return answers.values().stream().allMatch(answer -> now - answer.at() > LIFE);
    }

    void note(TenureId change, boolean applied, long now) {
        answers.values().removeIf(answer -> now - answer.at() > LIFE);
        answers.put(change, new Answer(applied, now));
    }
}
