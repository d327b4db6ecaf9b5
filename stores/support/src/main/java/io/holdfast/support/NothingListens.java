package io.holdfast.support;

import java.net.ConnectException;
import java.util.Optional;
import java.util.stream.Stream;

/** The failure to connect to an address at which no process listens: the machine there answers that the connection is refused. */
public final class NothingListens {

    /** The text for the person who has to repair the cause. */
    public static final String TEXT = "nothing listens there; check host and port, and that the server runs";

    private NothingListens() {}

    /** Returns {@code true} if this is the failure, or a cause of it. */
    public static boolean isCauseOf(Throwable failure) {
        return causeOf(failure).isPresent();
    }

    /** Returns this failure if it is the given one, or a cause of it. */
    public static Optional<Throwable> causeOf(Throwable failure) {
        return Stream.iterate(failure, error -> error != null, Throwable::getCause)
                .filter(NothingListens::isIt)
                .findFirst();
    }

    private static boolean isIt(Throwable error) {
        // the same class tells that the time was up; the text of a refusal is in the language of the system
        return error instanceof ConnectException
                && !String.valueOf(error.getMessage()).contains("timed out");
    }
}
