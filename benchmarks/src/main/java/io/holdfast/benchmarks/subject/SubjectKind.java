package io.holdfast.benchmarks.subject;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

/** The measured subjects, by the names in reports. */
public enum SubjectKind {
    /** Holdfast, with its defaults. */
    HOLDFAST("holdfast") {
        @Override
        public Subject open(String uri, Duration lease) {
            return new HoldfastSubject(uri, lease);
        }
    },

    /** Redisson, with its defaults. */
    REDISSON("redisson") {
        @Override
        public Subject open(String uri, Duration lease) {
            return new RedissonSubject(uri, lease);
        }
    },

    /** ShedLock for JDBC. */
    SHEDLOCK("shedlock") {
        @Override
        public Subject open(String uri, Duration lease) {
            return new ShedLockSubject(uri, lease);
        }
    },

    /** The lock registry of Spring Integration for JDBC. */
    SPRING("spring") {
        @Override
        public Subject open(String uri, Duration lease) {
            return new SpringSubject(uri, lease);
        }
    },

    /** Two bare UPDATEs: the cost of database and driver alone. */
    TWO_UPDATES("two-updates") {
        @Override
        public Subject open(String uri, Duration lease) {
            return new TwoUpdates(uri);
        }
    },

    /** The two scripts of Holdfast's lock through bare Lettuce: the cost of server and driver alone. */
    FLOOR("floor") {
        @Override
        public Subject open(String uri, Duration lease) {
            return new Floor(uri, lease);
        }
    },

    /** The fair locks of the JDK: strict order inside one process. */
    JDK_FAIR("jdk-fair") {
        @Override
        public Subject open(String uri, Duration lease) {
            return new JdkSubject(true);
        }
    },

    /** The locks of the JDK. */
    JDK("jdk") {
        @Override
        public Subject open(String uri, Duration lease) {
            return new JdkSubject(false);
        }
    },

    /** Does nothing: the cost of the harness. */
    NO_OP("no-op") {
        @Override
        public Subject open(String uri, Duration lease) {
            return new NoOp();
        }
    };

    private final String label;

    SubjectKind(String label) {
        this.label = label;
    }

    /** Returns the subject with the given label. */
    public static SubjectKind of(String label) {
        return Arrays.stream(values())
                .filter(kind -> kind.label.equals(label))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("no subject " + label));
    }

    /** Returns the tables that subjects write in a database. */
    public static Stream<String> tables() {
        return Stream.of(
                "holdfast_locks", "holdfast_clients", ShedLockSubject.TABLE, SpringSubject.TABLE, TwoUpdates.TABLE);
    }

    /** Returns {@code true} if the subject uses the server. */
    public boolean crossesTheWire() {
        return this != JDK_FAIR && this != JDK && this != NO_OP;
    }

    /** Connects, with the given lease for holds that are renewed. */
    public abstract Subject open(String uri, Duration lease);

    @Override
    public String toString() {
        return label;
    }
}
