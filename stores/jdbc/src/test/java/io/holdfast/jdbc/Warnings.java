package io.holdfast.jdbc;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** The warnings of the store. */
public final class Warnings implements AutoCloseable {

    private final List<String> texts = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger("io.holdfast.jdbc");
    private final Handler catcher = new Catcher();

    /** Begins to catch them. */
    public Warnings() {
        logger.addHandler(catcher);
    }

    private final class Catcher extends Handler {

        private final SimpleFormatter formatter = new SimpleFormatter();

        @Override
        public void publish(LogRecord line) {
            if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
                texts.add(formatter.formatMessage(line));
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** Returns those that were logged. */
    public List<String> texts() {
        return List.copyOf(texts);
    }

    @Override
    public void close() {
        logger.removeHandler(catcher);
    }
}
