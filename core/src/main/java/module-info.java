/** Distributed locks: the API, recipes, the engine, the store SPI, and the in-memory store. */
module io.holdfast {
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.holdfast;
    exports io.holdfast.recipes;
    exports io.holdfast.spi;

    uses io.holdfast.spi.StoreProvider;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.memory.MemoryStoreProvider;
}
