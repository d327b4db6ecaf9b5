package io.holdfast;

/** An unlock as what ends a try: its error never hides that of the body, and is never hidden by a body without one. */
@FunctionalInterface
interface Unlocking extends AutoCloseable {

    @Override
    void close();
}
