package io.holdfast.cli;

/**
 * The log output of libraries on standard error. It is not shown while a command runs, because standard error belongs to that
 * command.
 */
final class StderrOfLibraries {

    private StderrOfLibraries() {}

    /** Turns the log output off. Call it before anything is logged. */
    static void silence() {
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
    }
}
