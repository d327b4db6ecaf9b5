package io.holdfast.testkit.crowd;

import java.util.regex.Pattern;

/** The first word of a line that a member of a {@link Crowd} prints. */
public enum CrowdLine {
    /**
     * Number, name, thread, token, whether it reads, whether it has waited, the time, and the time until which it is valid at
     * least.
     */
    GRANT,
    /** The number of a grant, the time, and a later time until which it is valid at least. */
    VALID,
    /** The number of a grant, and the time at which its release begins. */
    RELEASE,
    /** Name, token, and the time at which its owner was told. */
    LOST,
    /** The class of an exception that a fault of the server explains. */
    FAILURE,
    /** Another exception. */
    ERROR,
    /** The name of a call, and the milliseconds that it took beyond its time. */
    LATE,
    /** The process ends in order. */
    DONE;

    /** The last word of each line. */
    static final String END = ".";

    private static final Pattern LINE_BREAK = Pattern.compile("\\R");

    /** The beginning of the names of threads that do not contend. */
    static final String BYSTANDER = "bystander";

    /** Prints a line. */
    public void say(Object... words) {
        StringBuilder line = new StringBuilder(name()).append(' ');
        for (Object word : words) {
            line.append(LINE_BREAK.matcher(word.toString()).replaceAll(" ")).append(' ');
        }
        // a line that was cut off by a kill has no such end
        System.out.println(line.append(END));
    }
}
