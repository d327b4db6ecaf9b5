package io.holdfast.cli.exec;

import java.util.List;
import java.util.function.Consumer;
import sun.misc.Signal;

/** A handler of the signals that ask a program to end. A signal that was ignored when this JVM started stays ignored. */
final class Signals {

    private static final List<String> CAUGHT = List.of("TERM", "INT", "HUP");

    private volatile Consumer<Event.Caught> taker;

    /** Catches the signals from now on, and passes them to the consumer on a thread of the JVM. */
    Signals(Consumer<Event.Caught> first) {
        taker = first;
        CAUGHT.forEach(this::handle);
    }

    private void handle(String name) {
        Signal.handle(new Signal(name), signal -> taker.accept(new Event.Caught(name, signal.getNumber())));
    }

    void nowTo(Consumer<Event.Caught> next) {
        taker = next;
    }
}
