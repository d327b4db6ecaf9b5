package io.holdfast.spring.aop;

import java.time.Duration;
import java.util.stream.Stream;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** The timeout of the transaction of a method. It is read by name, because the application may have no transactions. */
final class TransactionTimeout {

    private static final String TRANSACTIONAL = "org.springframework.transaction.annotation.Transactional";
    private static final String NUMBER = "\\d{1,9}";

    private TransactionTimeout() {}

    /** Refuses a wait that alone would exceed the timeout of the transaction in which the caller may wait. */
    static void requireLongerThan(Duration wait, Attributes attributes) {
        int seconds = Stream.of(attributes.method(), attributes.type())
                .map(place -> MergedAnnotations.from(place, SearchStrategy.TYPE_HIERARCHY)
                        .get(TRANSACTIONAL))
                .filter(MergedAnnotation::isPresent)
                .findFirst()
                .map(transactional -> seconds(attributes, transactional))
                .orElse(-1);
        if (seconds > 0 && wait.compareTo(Duration.ofSeconds(seconds)) > 0) {
            throw attributes.invalid(
                    "waitTime",
                    "it is longer than the timeout of @Transactional (" + seconds
                            + " s), within which a caller with a transaction would wait; choose a shorter wait");
        }
    }

    private static int seconds(Attributes attributes, MergedAnnotation<?> transactional) {
        String text = attributes.text("timeoutString", transactional.getString("timeoutString"));
        // Spring itself refuses a text that is no number
        return text.matches(NUMBER) ? Integer.parseInt(text) : transactional.getInt("timeout");
    }
}
