/** The store for Redis and Valkey. */
module io.holdfast.redis {
    requires io.holdfast;
    requires io.holdfast.support;
    requires static com.google.errorprone.annotations;
    requires io.netty.common;
    requires lettuce.core;
    requires org.slf4j;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.redis.RedisStoreProvider;
}
