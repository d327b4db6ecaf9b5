/** The lock interfaces of Redisson, implemented by a Holdfast client. */
module io.holdfast.redisson.api {
    requires transitive io.holdfast;
    requires static transitive org.jspecify;
    requires transitive redisson;

    exports io.holdfast.redisson.api;
}
