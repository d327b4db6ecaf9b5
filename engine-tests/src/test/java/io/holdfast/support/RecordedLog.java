package io.holdfast.support;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;
import org.slf4j.event.SubstituteLoggingEvent;
import org.slf4j.helpers.SubstituteLoggerFactory;
import org.slf4j.helpers.SubstituteServiceProvider;

/** Keeps what is logged in this JVM. To be made before anything that logs. */
final class RecordedLog {

    private final SubstituteLoggerFactory loggers;

    /** Empty, whatever was logged before. */
    RecordedLog() {
        System.setProperty(LoggerFactory.PROVIDER_PROPERTY_KEY, Provider.class.getName());
        loggers = (SubstituteLoggerFactory) LoggerFactory.getILoggerFactory();
        loggers.getEventQueue().clear();
    }

    /** What was logged since it was last asked. */
    List<SubstituteLoggingEvent> events() {
        List<SubstituteLoggingEvent> events = new ArrayList<>();
        loggers.getEventQueue().drainTo(events);
        return events;
    }

    /** What SLF4J itself uses while it has no other log yet: it keeps all. */
    public static final class Provider extends SubstituteServiceProvider {

        /** For SLF4J. */
        public Provider() {}

        @Override
        public String getRequestedApiVersion() {
            return "2.0.99";
        }

        @Override
        public void initialize() {}
    }
}
