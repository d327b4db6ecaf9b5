package io.holdfast.spring.guide;

import io.holdfast.LockTimeoutException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Answers web requests that did not acquire their lock. */
@RestControllerAdvice
class BusyLocks {

    // region busy
    @ExceptionHandler(LockTimeoutException.class)
    ProblemDetail busy(LockTimeoutException busy) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "in use, try again: " + busy.name());
    }
    // endregion
}
