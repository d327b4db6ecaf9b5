package io.holdfast.testkit;

/** Something that could run now. */
interface Ready {

    String name();

    /** The thread to run it; called when it was chosen, after it was taken from the list. */
    Participant take();
}
