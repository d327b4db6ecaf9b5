package io.holdfast.cli.exec;

import io.holdfast.Lease;

/** Something that has to be reacted to, one after the other. */
sealed interface Event {

    /** A signal came for this process. */
    record Caught(String signal, int number) implements Event {

        int exitCode() {
            return ExitStatus.SIGNAL + number;
        }
    }

    /** The lock is ours. */
    record Acquired(Lease lease) implements Event {}

    /** The lock could not be got. */
    record Failed(Throwable why) implements Event {}

    /** The lock is ours no more. */
    record Lost(String why) implements Event {}

    /** An early renewal failed. */
    record Unconfirmed(String why) implements Event {}

    /** An early renewal was confirmed. */
    record Confirmed() implements Event {}

    /** The command has ended. */
    record Ended() implements Event {}

    /** A guard said something. */
    record Said(Guard guard, String answer) implements Event {}

    /** A guard has ended. */
    record GuardEnded(Guard guard) implements Event {}
}
