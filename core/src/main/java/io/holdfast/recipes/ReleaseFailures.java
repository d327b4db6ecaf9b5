package io.holdfast.recipes;

import io.holdfast.LeaseLostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** The failures of several releases. Each release is carried out, whatever the others throw. */
final class ReleaseFailures {

    private final List<RuntimeException> thrown = new ArrayList<>();

    void run(Runnable release) {
        try {
            release.run();
        } catch (CompletionException e) {
            thrown.add(e.getCause() instanceof RuntimeException cause ? cause : e);
        } catch (RuntimeException e) {
            thrown.add(e);
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
