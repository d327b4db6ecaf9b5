package io.holdfast.benchmarks.subject;

import com.google.errorprone.annotations.Immutable;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

/** The measured subjects, by the names in reports. */
public enum SubjectKind {
    /** Holdfast, with its defaults. */
    HOLDFAST("holdfast", HoldfastSubject::of),

    /** Redisson, with its defaults. */
    REDISSON("redisson", RedissonSubject::of),

    /** ShedLock, for JDBC or MongoDB. */
    SHEDLOCK("shedlock", ShedLockSubject::of),

    /** The lock registry of Spring Integration for JDBC. */
    SPRING("spring", SpringSubject::new),

    /** The locks of Curator. */
    CURATOR("curator", (uri, lease) -> new CuratorSubject(uri)),

    /** The lock service of etcd, through jetcd. */
    JETCD("jetcd", JetcdSubject::new),

    /** The least that a lock needs of the server, through the bare driver: the cost of both alone. */
    FLOOR("floor", SubjectKind::floor),

    /** The fair locks of the JDK: strict order inside one process. */
    JDK_FAIR("jdk-fair", (uri, lease) -> new JdkSubject(true)),

    /** The locks of the JDK. */
    JDK("jdk", (uri, lease) -> new JdkSubject(false)),

    /** Does nothing: the cost of the harness. */
    NO_OP("no-op", (uri, lease) -> new NoOp());

    @Immutable
    private interface Opening {
        Subject open(String uri, Duration lease);
    }

    private static Subject floor(String uri, Duration lease) {
        return switch (ServerKind.of(uri)) {
            case ZOOKEEPER -> new ZooKeeperFloor(uri);
            case ETCD -> new EtcdFloor(uri);
            case MONGODB -> new MongoFloor(uri);
            case DATABASE -> new TwoUpdates(uri);
            case REDIS -> new RedisFloor(uri, lease);
        };
    }

    private final String label;
    private final Opening opening;

    SubjectKind(String label, Opening opening) {
        this.label = label;
        this.opening = opening;
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
    public Subject open(String uri, Duration lease) {
        return opening.open(uri, lease);
    }

    @Override
    public String toString() {
        return label;
    }
}
