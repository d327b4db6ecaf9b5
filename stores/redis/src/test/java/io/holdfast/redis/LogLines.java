package io.holdfast.redis;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Catches what is logged in this JVM at INFO and above, by whomever, until it is closed; then fails if a line was wrong.
 *
 * <p>Wrong is a line that was not foreseen, one that shows the password, and a warning of Holdfast about locks that names none of
 * them.
 */
final class LogLines implements AutoCloseable {

    private static final String OURS = "io.holdfast";

    /** One line; {@code thrown} is the stack of its exception, if it has one. */
    record Line(String logger, Level level, String text, String thrown) {

        boolean isWarningAboutLocks() {
            return logger.startsWith(OURS)
                    && level.equals(Level.WARNING)
                    && !text.matches("(?s).*(: the connection to | is connected again | receives no messages: ).*");
        }

        boolean shows(String what) {
            return (logger + text + thrown).contains(what);
        }

        boolean names(String lock) {
            return text.contains("'" + lock + "'");
        }

        @Override
        public String toString() {
            return "\n" + level + " " + logger + ": " + text + thrown;
        }
    }

    /**
     * Lines that may come.
     *
     * @param text how all of the text looks
     * @param reason why they come, for the reader
     */
    record Foreseen(String logger, Level level, Pattern text, String reason) {

        static Foreseen info(String logger, String text, String reason) {
            return new Foreseen(logger, Level.INFO, Pattern.compile(text), reason);
        }

        static Foreseen warning(String logger, String text, String reason) {
            return new Foreseen(logger, Level.WARNING, Pattern.compile(text), reason);
        }

        boolean covers(Line line) {
            return line.logger.equals(logger)
                    && line.level.equals(level)
                    && text.matcher(line.text).matches();
        }
    }

    private final Logger root = Logger.getLogger("");
    private final Logger ours = Logger.getLogger(OURS);
    private final Level before = ours.getLevel();
    private final Queue<Line> lines = new ConcurrentLinkedQueue<>();
    private final Handler catcher = new Catcher();
    private final String password;
    private final List<String> locks;
    private final List<Foreseen> foreseen = new CopyOnWriteArrayList<>();

    /** Nothing is foreseen yet. */
    LogLines(String password, String... locks) {
        this.password = password;
        this.locks = List.of(locks);
        root.addHandler(catcher);
    }

    @CanIgnoreReturnValue
    LogLines foresee(List<Foreseen> lines) {
        foreseen.addAll(lines);
        return this;
    }

    /** Catches what Holdfast says at DEBUG, too. */
    LogLines inDetail() {
        ours.setLevel(Level.FINE);
        return this;
    }

    private final class Catcher extends Handler {

        private final SimpleFormatter formatter = new SimpleFormatter();

        @Override
        public void publish(LogRecord entry) {
            String logger = String.valueOf(entry.getLoggerName());
            lines.add(new Line(logger, entry.getLevel(), formatter.formatMessage(entry), stack(entry.getThrown())));
        }

        private String stack(Throwable thrown) {
            StringWriter text = new StringWriter();
            if (thrown != null) {
                thrown.printStackTrace(new PrintWriter(text.append('\n'), true));
            }
            return text.toString();
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    List<Line> those(Predicate<Line> wanted) {
        return lines.stream().filter(wanted).toList();
    }

    @Override
    public void close() {
        root.removeHandler(catcher);
        ours.setLevel(before);
        Map<String, List<Line>> wrong = wrong();
        if (!wrong.isEmpty()) {
            throw new AssertionError(wrong.entrySet().stream()
                    .map(entry -> "logged, and " + entry.getKey() + ": " + entry.getValue())
                    .collect(Collectors.joining("\n")));
        }
    }

    private Map<String, List<Line>> wrong() {
        Map<String, List<Line>> wrong = new TreeMap<>(Map.of(
                "not foreseen", those(this::isNotForeseen),
                "shows the password", those(line -> line.shows(password)),
                "names no lock",
                        those(line ->
                                line.isWarningAboutLocks() && locks.stream().noneMatch(line::names))));
        wrong.values().removeIf(List::isEmpty);
        return wrong;
    }

    private boolean isNotForeseen(Line line) {
        return line.level.intValue() >= Level.INFO.intValue()
                && foreseen.stream().noneMatch(f -> f.covers(line));
    }
}
