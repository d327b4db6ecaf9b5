package io.holdfast.benchmarks;

import io.holdfast.benchmarks.subject.SubjectKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One case in one size, which several subjects run in turn.
 *
 * @param name the name of the case
 * @param threads the number of threads of each process
 * @param processes the number of processes of each subject
 * @param size the number of locks, waiters or names, if the case has one; otherwise 0
 * @param subjects the subjects that support the case
 * @param once {@code true} if the case runs once, for as long as it takes
 */
record Cell(String name, int threads, int processes, int size, List<SubjectKind> subjects, boolean once) {

    static Cell of(String name, int threads, SubjectKind... subjects) {
        return new Cell(name, threads, 1, 0, List.of(subjects), false);
    }

    Cell withProcesses(int number) {
        return new Cell(name, threads, number, size, subjects, once);
    }

    Cell withThreads(int number) {
        return new Cell(name, number, processes, size, subjects, once);
    }

    Cell withSize(int number) {
        return new Cell(name, threads, processes, number, subjects, once);
    }

    Cell doneOnce() {
        return new Cell(name, threads, processes, size, subjects, true);
    }

    /** Returns a copy without subjects for which the case would take too long. */
    Cell without(SubjectKind subject) {
        return new Cell(
                name,
                threads,
                processes,
                size,
                subjects.stream().filter(each -> each != subject).toList(),
                once);
    }

    /** Returns {@code true} if the case needs independent servers, as many as its size. */
    boolean isOfQuorum() {
        return name.startsWith("quorum");
    }

    /** Returns {@code true} if holds are renewed between rounds, too. */
    boolean goesOnBetweenRounds() {
        return name.equals("hold");
    }

    /** Returns the fields for JSON; the caller adds the results. */
    Map<String, Object> toJson(String subject) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("case", name);
        fields.put("threads", threads);
        fields.put("processes", processes);
        fields.put("size", size);
        fields.put("subject", subject);
        return fields;
    }

    @Override
    public String toString() {
        return name + ", " + counted(processes, "process", "processes") + " x " + counted(threads, "thread", "threads")
                + (size > 0 ? ", " + String.format("%,d", size) : "");
    }

    private static String counted(int number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }
}
