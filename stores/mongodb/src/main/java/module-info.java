/** The store for MongoDB. */
module io.holdfast.mongodb {
    requires io.holdfast;
    requires io.holdfast.support;
    requires transitive org.mongodb.bson;
    requires org.mongodb.driver.core;
    requires transitive org.mongodb.driver.sync.client;
    requires org.slf4j;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports io.holdfast.mongodb;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.mongodb.MongoStoreProvider;
}
