package io.holdfast.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says how to choose a store. */
final class NoStoreFailureAnalyzer extends AbstractFailureAnalyzer<NoStoreException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, NoStoreException cause) {
        return new FailureAnalysis(
                cause.getMessage(),
                "Set holdfast.uri, for example to redis://localhost:6379, or configure spring.data.redis. With several"
                        + " connection factories or data sources, set holdfast.uri, or define a bean of the type Holdfast."
                        + " To start without locks, set holdfast.enabled to false.",
                cause);
    }
}
