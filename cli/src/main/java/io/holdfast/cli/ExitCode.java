package io.holdfast.cli;

/** The exit codes of all commands. */
final class ExitCode {

    static final int OK = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int UNUSABLE = 69;

    private ExitCode() {}
}
