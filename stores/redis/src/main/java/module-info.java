/** The store for Redis and Valkey, and fences for the data that locks protect there. */
module io.holdfast.redis {
    requires io.holdfast;
    requires io.holdfast.support;
    requires static com.google.errorprone.annotations;
    requires io.netty.buffer;
    requires io.netty.common;
    // the driver names no modules, so the modules of Netty that it needs are not all resolved by themselves
    requires io.netty.handler;
    requires io.netty.resolver;
    requires io.netty.resolver.dns;
    requires io.netty.transport;
    requires transitive lettuce.core;
    requires org.slf4j;

    exports io.holdfast.redis;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.redis.RedisStoreProvider;
}
