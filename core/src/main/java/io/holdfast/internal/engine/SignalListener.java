package io.holdfast.internal.engine;

/** Hears the signals of the store that concern no slot. */
public interface SignalListener {

    /** Hears nothing. */
    SignalListener NONE = new SignalListener() {
        @Override
        public void changed(String name) {}

        @Override
        public void gap() {}

        @Override
        public void close() {}
    };

    /** The number of a latch has changed. */
    void changed(String name);

    /** Signals may have been missed. */
    void gap();

    /** The client is closed. */
    void close();
}
