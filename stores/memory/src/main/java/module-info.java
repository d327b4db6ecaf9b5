/** The store in the memory of the JVM. */
module io.holdfast.memory {
    requires io.holdfast;
    requires io.holdfast.support;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.memory.MemoryStoreProvider;
}
