/** Locks and semaphores for Project Reactor. */
module io.holdfast.reactor {
    requires transitive io.holdfast;
    requires static transitive org.jspecify;
    requires transitive org.reactivestreams;
    requires transitive reactor.core;

    exports io.holdfast.reactor;
}
