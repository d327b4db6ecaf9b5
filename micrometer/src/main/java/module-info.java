/** Meters and observations of the locks of a client. */
module io.holdfast.micrometer {
    requires transitive io.holdfast;
    requires static transitive org.jspecify;
    requires transitive micrometer.core;
    requires transitive micrometer.observation;
    requires transitive micrometer.commons;

    exports io.holdfast.micrometer;
}
