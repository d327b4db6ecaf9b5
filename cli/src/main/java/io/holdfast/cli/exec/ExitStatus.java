package io.holdfast.cli.exec;

/** The exit codes that are not those of the command. */
final class ExitStatus {

    static final int BUSY = 75;
    static final int LOST = 76;
    static final int NOT_EXECUTABLE = 126;
    static final int NOT_FOUND = 127;

    /** The base of the exit codes for signals, to which the signal's number is added. */
    static final int SIGNAL = 128;

    private ExitStatus() {}
}
