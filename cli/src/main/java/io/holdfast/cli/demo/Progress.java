package io.holdfast.cli.demo;

import java.io.PrintWriter;

/** The progress of a sale. On a terminal, it is one line that is overwritten; elsewhere, it is only notes. */
public final class Progress {

    private static final String ERASE = "\r\033[K";

    private final PrintWriter err;
    private final boolean live;

    /** Creates a progress on this writer, with the overwritten line if {@code live}. */
    public Progress(PrintWriter err, boolean live) {
        this.err = err;
        this.live = live;
    }

    /** Prints a line that stays. */
    void note(String text) {
        err.print((live ? ERASE : "") + text + System.lineSeparator());
        err.flush();
    }

    /** Shows a line that the next one replaces. */
    void show(String text) {
        if (live) {
            err.print(ERASE + text);
            err.flush();
        }
    }
}
