package io.holdfast.examples.flashsale;

/** What may happen to a seller between check and write. */
@FunctionalInterface
interface Accident {

    /** The exit code that tells the death of a process by accident from any other end. */
    int EXIT_CODE = 86;

    /** Called with the stock that was read. */
    void mayHappen(long stock);

    /** Never. */
    static Accident none() {
        return stock -> {};
    }

    /** Ends the process, without any cleaning up, at its first sale from a stock that has come down to the given one. */
    static Accident once(long left) {
        return stock -> {
            if (stock <= left) {
                Runtime.getRuntime().halt(EXIT_CODE);
            }
        };
    }
}
