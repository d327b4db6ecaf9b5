package io.holdfast.internal.engine;

/** A listener for the signals of the store that concern no slot. */
public interface SignalListener {

    /** The listener that ignores all signals. */
    SignalListener NONE = new SignalListener() {
        @Override
        public void changed(String name) {}

        @Override
        public void gap() {}

        @Override
        public void close() {}
    };

    /** Called when a latch has changed. */
    void changed(String name);

    /** Called when signals may have been missed. */
    void gap();

    /** Called when the client is closed. */
    void close();
}
