package io.holdfast.testkit.crowd;

/** The first word of a line that a {@link CrowdMember} prints. */
enum CrowdLine {
    /** Number, name, thread, token, whether it reads, whether it has waited, and the time. */
    GRANT,
    /** The number of a grant, and the time until which it is valid at least. */
    VALID,
    /** The number of a grant, and the time at which its release begins. */
    RELEASE,
    /** Name, token, and the time at which its owner was told. */
    LOST,
    /** The class of an exception that a fault of the server explains. */
    FAILURE,
    /** Another exception. */
    ERROR,
    /** The process ends in order. */
    DONE;

    /** The last word of each line. */
    static final String END = ".";

    /** The beginning of the names of threads that do not contend. */
    static final String BYSTANDER = "bystander";
}
