package io.holdfast.cli;

/** What libraries log: not to be seen where a command runs whose standard error is its own. */
final class StderrOfLibraries {

    private StderrOfLibraries() {}

    /** Before anything is logged. */
    static void silence() {
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
    }
}
