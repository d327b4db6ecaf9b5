/** The locks of ShedLock, kept by a Holdfast client. */
module io.holdfast.shedlock {
    requires transitive io.holdfast;
    requires transitive net.javacrumbs.shedlock.core;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.holdfast.shedlock;
}
