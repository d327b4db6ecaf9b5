/** The contract of every store as tests, and tools for tests of distributed locks: faults, virtual time, and leak checks. */
module io.holdfast.testkit {
    requires static com.google.errorprone.annotations;
    requires transitive io.holdfast;
    requires transitive org.junit.jupiter.api;
    requires static transitive org.jspecify;

    exports io.holdfast.testkit;
    exports io.holdfast.testkit.check;
    exports io.holdfast.testkit.cluster;
    exports io.holdfast.testkit.contract;
    exports io.holdfast.testkit.crowd;
    exports io.holdfast.testkit.faults;

    uses io.holdfast.spi.StoreProvider;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.testkit.SimulatedProvider;
}
