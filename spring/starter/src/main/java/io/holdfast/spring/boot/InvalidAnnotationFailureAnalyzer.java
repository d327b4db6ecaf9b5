package io.holdfast.spring.boot;

import io.holdfast.spring.aop.InvalidAnnotationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows an annotation that cannot work without the stack of its discovery. */
final class InvalidAnnotationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidAnnotationException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidAnnotationException cause) {
        return new FailureAnalysis(cause.getMessage(), "Correct the annotation or the method.", cause);
    }
}
