package io.holdfast.benchmarks;

import java.util.Map;

/**
 * A cell that a subject did not finish.
 *
 * @param cell what was to be done
 * @param subject by whom
 * @param text what happened
 */
record Failure(Cell cell, String subject, String text) {

    /** For a program. */
    Map<String, Object> toJson() {
        Map<String, Object> fields = cell.toJson(subject);
        fields.put("failure", text);
        return fields;
    }
}
