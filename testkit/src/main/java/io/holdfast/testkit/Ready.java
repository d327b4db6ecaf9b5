package io.holdfast.testkit;

/** Something that could run now. */
interface Ready {

    String name();

    /** Returns the thread that runs it. It is called after it was chosen and removed from the list. */
    Participant take();
}
