/** The parts that stores share, for authors of stores. */
module io.holdfast.support {
    requires transitive io.holdfast;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.holdfast.support;
    exports io.holdfast.support.record;
    exports io.holdfast.support.session;
    exports io.holdfast.support.store;
}
