package io.holdfast.redis;

import io.holdfast.LockReport;
import io.holdfast.LockTimeoutException;
import io.holdfast.testkit.Await;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;

/** Repeats a question until the holder's client answers it. The library waits for that answer only briefly. */
final class HolderAnswers {

    private static final Pattern TOKEN = Pattern.compile(", token \\d+,");

    private HolderAnswers() {}

    /** Returns the first report whose holder has described its hold. */
    static LockReport.Holder holder(Supplier<Optional<LockReport.Holder>> question) {
        AtomicReference<LockReport.Holder> answer = new AtomicReference<>();
        Await.until("the holder's client answers", () -> {
            answer.set(question.get().orElseThrow());
            return answer.get().owner().isPresent();
        });
        return answer.get();
    }

    /** Returns the first timeout whose text has the token of the holder. */
    static LockTimeoutException timeout(Callable<?> attempt) {
        AtomicReference<LockTimeoutException> answer = new AtomicReference<>();
        Await.until("the holder's client answers", () -> {
            answer.set(Assertions.catchThrowableOfType(LockTimeoutException.class, attempt::call));
            return TOKEN.matcher(answer.get().getMessage()).find();
        });
        return answer.get();
    }
}
