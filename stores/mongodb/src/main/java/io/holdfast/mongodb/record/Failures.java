package io.holdfast.mongodb.record;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoServerUnavailableException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteConcernException;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The texts and effects of failures.
 *
 * @param address the address of the servers
 */
record Failures(String address) {

    /** Unauthorized, authentication failed, and the same of hosted servers. */
    private static final Set<Integer> DENIED = Set.of(13, 18, 8_000);

    /** Not the primary. */
    private static final Set<Integer> NOT_PRIMARY = Set.of(10_107, 13_435);

    private static final String BAD_LOGIN = "the server refuses the user and password";

    /** Calls MongoDB. A failure says whether a write may have been applied. */
    <T> T calling(String what, Supplier<T> call) {
        try {
            return call.get();
        } catch (MongoInterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(Effect.UNKNOWN, what, "interrupted", e);
        } catch (MongoException e) {
            throw of(what, e);
        } catch (IllegalStateException e) {
            // the driver refuses what comes after its end, also when it would have sent the request again
            throw new StoreException(Effect.UNKNOWN, address + ": " + what + ": the client is closed", e);
        }
    }

    /** Calls MongoDB to read. */
    <T> T reading(String what, Supplier<T> call) {
        try {
            return calling(what, call);
        } catch (StoreException e) {
            throw e.effect() == Effect.UNKNOWN
                    ? new StoreException(Effect.NOT_APPLIED, e.getMessage() + "", e.getCause())
                    : e;
        }
    }

    StoreException of(String what, MongoException error) {
        if (error instanceof MongoWriteConcernException || error instanceof MongoBulkWriteException) {
            return failure(Effect.UNKNOWN, what, "a majority of the servers did not confirm the write in time", error);
        } else if (error instanceof MongoOperationTimeoutException && !wasWaiting(error)) {
            return failure(Effect.UNKNOWN, what, "there was no answer in time: " + first(error), error);
        } else if (error instanceof MongoSecurityException) {
            return login(what, error);
        } else if (DENIED.contains(error.getCode())) {
            return failure(
                    Effect.REFUSED,
                    what,
                    error.getCode() == 18 ? BAD_LOGIN : "the user has no right to it; grant readWrite on the database",
                    error);
        } else if (error instanceof MongoTimeoutException
                || error instanceof MongoSocketOpenException
                || error instanceof MongoServerUnavailableException) {
            return failure(Effect.NOT_APPLIED, what, "no primary could be reached: " + first(error), error);
        } else if (error instanceof MongoNotPrimaryException || NOT_PRIMARY.contains(error.getCode())) {
            // the driver reports only the last failure of a write that it has repeated; an earlier one may be applied
            return failure(Effect.UNKNOWN, what, "the server is not the primary now; retry", error);
        }
        return failure(Effect.UNKNOWN, what, first(error), error);
    }

    /** Returns the failure of a log-in, after which no request was sent. A broken connection is no refusal. */
    private StoreException login(String what, MongoException error) {
        Throwable cause = Optional.ofNullable(error.getCause()).orElse(error);
        return cause instanceof MongoException answer && DENIED.contains(answer.getCode())
                ? failure(Effect.REFUSED, what, BAD_LOGIN, error)
                : failure(Effect.NOT_APPLIED, what, "the log-in was not completed: " + cause.getMessage(), error);
    }

    private StoreException failure(Effect effect, String what, String why, MongoException cause) {
        return new StoreException(effect, address + ": " + what + ": " + why, cause);
    }

    /** Returns {@code true} if the time was over before there was a server or a connection to send the request to. */
    private static boolean wasWaiting(MongoException error) {
        Throwable cause = error;
        while (cause != null && !("" + cause.getMessage()).contains("while waiting for a")) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    /** Returns the first sentence, because the driver adds the state of every server. */
    private static String first(MongoException error) {
        String text = Optional.ofNullable(error.getMessage()).orElse(error.toString());
        int end = text.indexOf(". ");
        return end < 0 ? text : text.substring(0, end);
    }
}
