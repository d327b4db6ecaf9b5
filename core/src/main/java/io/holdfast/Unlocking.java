package io.holdfast;

/**
 * An unlock as the resource of a try statement. Its exception never hides that of the body, and is thrown if the body ends
 * normally.
 */
@FunctionalInterface
interface Unlocking extends AutoCloseable {

    @Override
    void close();
}
