/** The store for etcd. */
module io.holdfast.etcd {
    requires com.google.protobuf;
    requires io.grpc;
    requires io.grpc.netty;
    requires io.grpc.stub;
    requires io.holdfast;
    requires io.holdfast.support;
    requires io.netty.handler;
    requires io.netty.transport;
    requires jetcd.grpc;
    requires org.slf4j;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports io.holdfast.etcd;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.etcd.EtcdStoreProvider;
}
