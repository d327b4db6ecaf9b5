package io.holdfast.cli.exec;

import io.holdfast.Lease;

/** An event of a run. Events are handled one at a time. */
sealed interface Event {

    /** A signal arrived for this process. */
    record Caught(String signal, int number) implements Event {

        int exitCode() {
            return ExitStatus.SIGNAL + number;
        }
    }

    /** This process has acquired the lock. */
    record Acquired(Lease lease) implements Event {}

    /** The lock was not acquired. */
    record Failed(Throwable why) implements Event {}

    /** The lock is lost. */
    record Lost(String why) implements Event {}

    /** An early renewal failed. */
    record Unconfirmed(String why) implements Event {}

    /** An early renewal was confirmed. */
    record Confirmed() implements Event {}

    /** The command has ended. */
    record Ended() implements Event {}

    /** A guard has written an answer. */
    record Said(Guard guard, String answer) implements Event {}

    /** A guard has ended. */
    record GuardEnded(Guard guard) implements Event {}
}
