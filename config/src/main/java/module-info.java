/** The options of a client from a file. */
module io.holdfast.config {
    requires transitive io.holdfast;
    requires static transitive org.jspecify;
    requires org.snakeyaml.engine;

    exports io.holdfast.config;
}
