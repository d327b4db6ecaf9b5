/** Distributed locks: the API, recipes, the engine, and the store SPI. */
module io.holdfast {
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.holdfast;
    exports io.holdfast.recipes;
    exports io.holdfast.spi;

    uses io.holdfast.spi.StoreProvider;
}
