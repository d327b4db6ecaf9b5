package io.holdfast.support;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.SubstituteLoggingEvent;
import org.slf4j.helpers.NOPLogger;
import org.slf4j.helpers.SubstituteLoggerFactory;
import org.slf4j.helpers.SubstituteServiceProvider;

/** The log of {@code io.holdfast.support} in this JVM, whose SLF4J has to use {@link Provider}. The rest is not logged. */
final class RecordedLog {

    private final SubstituteLoggerFactory loggers;

    /** Creates an empty record, whatever was logged before. */
    RecordedLog() {
        // for a JVM that has logged nothing yet; the build sets it for the whole module
        System.setProperty(LoggerFactory.PROVIDER_PROPERTY_KEY, Provider.class.getName());
        loggers = ((Loggers) LoggerFactory.getILoggerFactory()).recorded;
        loggers.getEventQueue().clear();
    }

    /** Returns what was logged since the last call. */
    List<SubstituteLoggingEvent> events() {
        List<SubstituteLoggingEvent> events = new ArrayList<>();
        loggers.getEventQueue().drainTo(events);
        return events;
    }

    private static final class Loggers implements ILoggerFactory {

        private final SubstituteLoggerFactory recorded = new SubstituteLoggerFactory();

        @Override
        public Logger getLogger(String name) {
            return name.startsWith("io.holdfast.support") ? recorded.getLogger(name) : NOPLogger.NOP_LOGGER;
        }
    }

    /** The provider that SLF4J itself uses until it has another one: its loggers keep all events. */
    public static final class Provider extends SubstituteServiceProvider {

        private final Loggers loggers = new Loggers();

        /** For SLF4J. */
        public Provider() {}

        @Override
        public ILoggerFactory getLoggerFactory() {
            return loggers;
        }

        @Override
        public String getRequestedApiVersion() {
            return "2.0.99";
        }

        @Override
        public void initialize() {}
    }
}
