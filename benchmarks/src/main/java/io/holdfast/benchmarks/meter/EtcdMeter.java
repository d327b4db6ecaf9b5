package io.holdfast.benchmarks.meter;

import com.fasterxml.jackson.jr.ob.JSON;
import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.holdfast.benchmarks.subject.ServerKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The counters of an etcd server, by its metrics. Of several servers, only the first one is read. */
final class EtcdMeter implements ServerMeter {

    private static final Duration LIMIT = Duration.ofSeconds(10);
    // the range of all keys
    private static final ByteString ALL = ByteString.copyFrom(new byte[] {0});

    private final String uri;
    private final String first;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ManagedChannel channel;
    private final String version;

    EtcdMeter(String uri) throws IOException {
        this.uri = uri;
        first = ServerKind.withoutScheme(uri).replaceFirst("[,/?].*", "");
        version = String.valueOf(JSON.std.mapFrom(get("/version")).get("etcdserver"));
        channel = NettyChannelBuilder.forTarget(first).usePlaintext().build();
    }

    private String get(String path) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + first + path))
                .timeout(LIMIT)
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private KVGrpc.KVBlockingStub keys() {
        return KVGrpc.newBlockingStub(channel).withDeadlineAfter(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public Reading read() {
        String metrics;
        try {
            metrics = get("/metrics");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Reading(
                (long) sum(metrics, "grpc_server_msg_received_total"),
                (long) sum(metrics, "etcd_debugging_mvcc_events_total"),
                (long) (sum(metrics, "process_cpu_seconds_total") * 1e6),
                (long) sum(metrics, "etcd_mvcc_db_total_size_in_use_in_bytes"));
    }

    private static double sum(String metrics, String name) {
        return metrics.lines()
                .filter(line -> line.startsWith(name))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Override
    public long present(String prefix, int count) {
        return Locks.held(uri, prefix, count);
    }

    @Override
    public String version() {
        return "etcd " + version;
    }

    @Override
    public boolean isEmpty() {
        return keys().range(RangeRequest.newBuilder()
                                .setKey(ALL)
                                .setRangeEnd(ALL)
                                .setCountOnly(true)
                                .build())
                        .getCount()
                == 0;
    }

    @Override
    public void clear() {
        var unused = keys().deleteRange(DeleteRangeRequest.newBuilder()
                .setKey(ALL)
                .setRangeEnd(ALL)
                .build());
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
