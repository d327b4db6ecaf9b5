/** Locks and semaphores for Kotlin coroutines. */
module io.holdfast.kotlin {
    requires transitive io.holdfast;
    requires static transitive org.jspecify;
    requires transitive kotlin.stdlib;
    requires kotlinx.coroutines.core;

    exports io.holdfast.kotlin;
}
