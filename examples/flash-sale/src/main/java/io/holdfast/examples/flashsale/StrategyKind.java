package io.holdfast.examples.flashsale;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The strategies, by the names they have at the command line. */
public enum StrategyKind {
    NONE("none", "no lock", false),
    LOCK("lock", "one Holdfast lock", true);

    private final String label;
    private final String description;
    private final boolean holds;

    StrategyKind(String label, String description, boolean holds) {
        this.label = label;
        this.description = description;
        this.holds = holds;
    }

    /** The name at the command line. */
    public String label() {
        return label;
    }

    /** What it is, in a few words. */
    public String description() {
        return description;
    }

    /** Whether a seller holds something while it sells, so that its death is worth showing. */
    public boolean holds() {
        return holds;
    }

    Strategy open(Job job) {
        return switch (this) {
            case NONE -> new NoLock();
            case LOCK -> new HoldfastLock(job.lockStore(), job.lease());
        };
    }

    /** The strategy of that name. */
    public static Optional<StrategyKind> of(String label) {
        return Arrays.stream(values()).filter(kind -> kind.label.equals(label)).findFirst();
    }

    /** All names. */
    public static List<String> labels() {
        return Arrays.stream(values()).map(StrategyKind::label).toList();
    }
}
