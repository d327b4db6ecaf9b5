package io.holdfast.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows why a client was not created, and the property to correct, without the stack of its bean. */
final class ClientStartFailureAnalyzer extends AbstractFailureAnalyzer<ClientStartException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ClientStartException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
