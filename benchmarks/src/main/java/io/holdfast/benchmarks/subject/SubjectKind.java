package io.holdfast.benchmarks.subject;

import java.time.Duration;
import java.util.Arrays;

/** All that can be measured, by the name that reports give it. */
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

    /** The two scripts of Holdfast's lock through bare Lettuce: what server and driver cost alone. */
    FLOOR("floor") {
        @Override
        public Subject open(String uri, Duration lease) {
            return new Floor(uri, lease);
        }
    },

    /** The locks of the JDK, fair: strict turns inside one process. */
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

    /** Does nothing: what the runner itself costs. */
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

    /** The one of that label. */
    public static SubjectKind of(String label) {
        return Arrays.stream(values())
                .filter(kind -> kind.label.equals(label))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("no subject " + label));
    }

    /** Whether the server has a part in it. */
    public boolean crossesTheWire() {
        return this == HOLDFAST || this == REDISSON || this == FLOOR;
    }

    /** Connects, with that lease for what is renewed. */
    public abstract Subject open(String uri, Duration lease);

    @Override
    public String toString() {
        return label;
    }
}
