package io.holdfast.recipes;

import io.holdfast.LeaseLostException;
import io.holdfast.internal.access.Awaiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The failures of several releases. A release that throws does not stop the others. */
final class ReleaseFailures {

    private final List<RuntimeException> thrown = new ArrayList<>();

    void run(Runnable release) {
        try {
            release.run();
        } catch (RuntimeException e) {
            thrown.add(Awaiting.cause(e) instanceof RuntimeException cause ? cause : e);
        }
    }

    /** Throws the first loss; if there is none, the first failure. The others are suppressed. */
    void rethrow() {
        Optional<RuntimeException> worst = thrown.stream()
                .filter(LeaseLostException.class::isInstance)
                .findFirst()
                .or(() -> thrown.stream().findFirst());
        worst.ifPresent(failure -> {
            suppressIn(failure);
            throw failure;
        });
    }

    /** Adds the failures to an error that is thrown anyway. */
    void suppressIn(Throwable primary) {
        thrown.stream().filter(failure -> failure != primary).forEach(primary::addSuppressed);
    }
}
