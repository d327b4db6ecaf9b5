package io.holdfast.torture;

import com.fasterxml.jackson.jr.ob.JSON;
import io.holdfast.testkit.crowd.Crowd;
import io.holdfast.testkit.crowd.CrowdViolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What happened in a run.
 *
 * @param faults how often each kind of fault was injected
 * @param outcome what the crowd has done
 * @param violations the promises that were broken
 */
record TortureResult(
        TortureOptions options, Map<Fault, Integer> faults, Crowd.Outcome outcome, List<CrowdViolation> violations) {

    /** The kind of a violation that is a failure of the run itself. */
    static final String FAILED = "FAILED";

    boolean isClean() {
        return violations.isEmpty();
    }

    /** Returns {@code true} if a promise was broken. */
    boolean isBroken() {
        return violations.stream().anyMatch(each -> !each.kind().equals(FAILED));
    }

    void write(Path file) throws IOException {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("store", options.shownStore());
        fields.put("subject", options.subject().toString());
        fields.put("seed", Long.toString(options.seed()));
        fields.put("command", options.command());
        fields.put("acquisitions", outcome.grants());
        fields.put("waits", outcome.waits());
        fields.put("losses", outcome.losses());
        fields.put("failures", outcome.failures());
        fields.put("faults", named());
        fields.put(
                "violations",
                violations.stream()
                        .map(each -> Map.of("kind", each.kind(), "text", each.text()))
                        .toList());
        Files.writeString(file, JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(fields) + "\n");
    }

    private Map<String, Integer> named() {
        Map<String, Integer> named = new TreeMap<>();
        faults.forEach((fault, count) -> named.put(fault.toString(), count));
        return named;
    }
}
