package io.holdfast.benchmarks;

import java.util.Map;

/**
 * A cell that a subject did not finish.
 *
 * @param cell the cell
 * @param subject the subject
 * @param text the failure
 */
record Failure(Cell cell, String subject, String text) {

    /** Returns the fields for JSON. */
    Map<String, Object> toJson() {
        Map<String, Object> fields = cell.toJson(subject);
        fields.put("failure", text);
        return fields;
    }
}
