package io.holdfast.cli.demo;

import java.io.PrintWriter;

/** Tells how a sale goes: on a terminal by one line that is written over, elsewhere by notes alone. */
public final class Progress {

    private static final String ERASE = "\r\033[K";

    private final PrintWriter err;
    private final boolean live;

    /** Progress on this writer, live if it is a terminal. */
    public Progress(PrintWriter err, boolean live) {
        this.err = err;
        this.live = live;
    }

    /** Something that stays. */
    void note(String text) {
        err.print((live ? ERASE : "") + text + System.lineSeparator());
        err.flush();
    }

    /** Something that the next one replaces. */
    void show(String text) {
        if (live) {
            err.print(ERASE + text);
            err.flush();
        }
    }
}
