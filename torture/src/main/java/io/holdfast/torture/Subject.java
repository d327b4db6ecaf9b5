package io.holdfast.torture;

import io.holdfast.testkit.crowd.CrowdPlan;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/** Whose locks are tortured. */
enum Subject {
    /** All kinds of locks of Holdfast. */
    HOLDFAST,
    /** The usual home-made lock of Redis, so that it is seen that violations are found. */
    SETNX;

    static Subject named(String name) {
        return Arrays.stream(values())
                .filter(each -> each.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--subject " + name + ": holdfast or setnx"));
    }

    CrowdPlan plan(Duration lease, int processes, int threads) {
        return this == SETNX
                ? new CrowdPlan(SetnxMember.class, lease, processes, threads)
                : CrowdPlan.ofHoldfast(lease, processes, threads);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
