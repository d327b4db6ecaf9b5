package io.holdfast.etcd.connection;

import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.LeaseRevokeResponse;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.holdfast.etcd.connection.Settings.Login;
import io.holdfast.etcd.connection.Settings.Tls;
import io.holdfast.spi.Platform;
import io.holdfast.support.Stages;
import io.holdfast.support.TlsFile;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one server, which logs in before its first call.
 *
 * <p>Answers arrive on the threads of Netty, so whoever receives them must not block. No call is ever repeated, because a repeated
 * write would not find what its first copy has changed.
 */
final class Link {

    /** etcd closes a connection that asks for signs of life more often than every 5 s. */
    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(10);

    private static final Duration SILENCE = Duration.ofSeconds(5);

    /** After a log-in that has failed: each one costs the servers the time of hashing a password. */
    private static final Duration LOG_IN_PAUSE = Duration.ofSeconds(1);

    private static final int MAX_ANSWER_BYTES = 64 << 20;
    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> REQUIRE_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

    private final Platform platform;
    private final Duration limit;
    private final ManagedChannel channel;
    private final CompletionStage<Channel> open;
    private final boolean logsIn;
    private final long since;
    private volatile long lastAnswer;

    /**
     * Creates a connection, which is made with the first call.
     *
     * @param server the server, as host:port
     * @param limit the maximum time of each call
     */
    Link(Settings settings, String server, Platform platform, Duration limit) {
        this.platform = platform;
        this.limit = limit;
        since = platform.nanoTime();
        lastAnswer = since;
        NettyChannelBuilder builder = NettyChannelBuilder.forTarget(
                        "dns:///" + server.replace("[", "%5B").replace("]", "%5D"))
                .directExecutor()
                .disableRetry()
                .maxInboundMessageSize(MAX_ANSWER_BYTES)
                .keepAliveTime(SIGN_OF_LIFE.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(SILENCE.toMillis(), TimeUnit.MILLISECONDS)
                // ends before the calls that wait for it, so that they are known not to have been sent
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectMillis(limit));
        settings.tls().ifPresentOrElse(tls -> builder.sslContext(context(tls)), builder::usePlaintext);
        channel = builder.build();
        logsIn = settings.login().isPresent();
        open = settings.login().map(this::loggedIn).orElseGet(() -> CompletableFuture.completedStage(channel));
    }

    private static int connectMillis(Duration limit) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, limit.toMillis() / 4 * 3));
    }

    private static SslContext context(Tls tls) {
        TlsFile.wrong(tls.authority(), tls.certificate(), tls.key()).ifPresent(wrong -> {
            throw unusable(wrong, null);
        });
        try {
            SslContextBuilder builder = GrpcSslContexts.forClient();
            tls.authority().ifPresent(file -> builder.trustManager(file.toFile()));
            tls.certificate()
                    .ifPresent(file -> builder.keyManager(
                            file.toFile(), tls.key().orElseThrow().toFile()));
            return builder.build();
        } catch (SSLException | IllegalArgumentException e) {
            throw unusable(e.getMessage() + "", e);
        }
    }

    private static IllegalArgumentException unusable(String why, @Nullable Exception cause) {
        return new IllegalArgumentException("the files of ca, cert and key cannot be used: " + why, cause);
    }

    // ---- log-in

    private CompletionStage<Channel> loggedIn(Login login) {
        AuthenticateRequest request = AuthenticateRequest.newBuilder()
                .setName(login.user())
                .setPassword(login.password())
                .build();
        return call(channel, AuthGrpc.getAuthenticateMethod(), request)
                .handle((answer, error) -> {
                    if (error == null) {
                        return CompletableFuture.completedStage(attached(channel, TOKEN, answer.getToken()));
                    } else if (isWithoutUsers(error)) {
                        return CompletableFuture.<Channel>completedStage(channel);
                    }
                    return CompletableFuture.<Channel>failedStage(Stages.cause(error));
                })
                .thenCompose(result -> result);
    }

    private static Channel attached(Channel to, Metadata.Key<String> key, String value) {
        Metadata headers = new Metadata();
        headers.put(key, value);
        return ClientInterceptors.intercept(to, MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    /** Returns {@code true} if the servers ask nobody for a password. */
    private static boolean isWithoutUsers(Throwable error) {
        return Status.fromThrowable(error).getCode() == Status.Code.FAILED_PRECONDITION;
    }

    // ---- calls

    /** Calls a method once. */
    <Q, A> CompletionStage<A> call(MethodDescriptor<Q, A> method, Q request) {
        return open.thenCompose(logged -> call(logged, method, request));
    }

    private <Q, A> CompletionStage<A> call(Channel logged, MethodDescriptor<Q, A> method, Q request) {
        Answer<A> answer = new Answer<>();
        ClientCalls.asyncUnaryCall(logged.newCall(method, options()), request, answer);
        return noted(answer);
    }

    private CallOptions options() {
        return CallOptions.DEFAULT.withDeadlineAfter(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    private <A> CompletionStage<A> noted(Answer<A> answer) {
        return answer.whenComplete((value, error) -> {
            if (error == null) {
                lastAnswer = platform.nanoTime();
            }
        });
    }

    /** Ends a lease. */
    CompletionStage<LeaseRevokeResponse> revoke(long lease) {
        return call(
                LeaseGrpc.getLeaseRevokeMethod(),
                LeaseRevokeRequest.newBuilder().setID(lease).build());
    }

    /** Extends the life of a lease once. */
    CompletionStage<LeaseKeepAliveResponse> keepAlive(long lease) {
        return open.thenCompose(logged -> {
            Answer<LeaseKeepAliveResponse> answer = new Answer<>();
            StreamObserver<LeaseKeepAliveRequest> requests = ClientCalls.asyncBidiStreamingCall(
                    logged.newCall(LeaseGrpc.getLeaseKeepAliveMethod(), options()), answer);
            requests.onNext(LeaseKeepAliveRequest.newBuilder().setID(lease).build());
            requests.onCompleted();
            return noted(answer);
        });
    }

    /**
     * Starts a watch, which ends with an error when the server has lost its leader.
     *
     * @param receiver receives the events, and the end
     * @return receives the requests
     */
    CompletionStage<ClientCallStreamObserver<WatchRequest>> watch(StreamObserver<WatchResponse> receiver) {
        return open.thenApply(logged -> (ClientCallStreamObserver<WatchRequest>) ClientCalls.asyncBidiStreamingCall(
                attached(logged, REQUIRE_LEADER, "true").newCall(WatchGrpc.getWatchMethod(), CallOptions.DEFAULT),
                receiver));
    }

    /**
     * Returns {@code true} if a call has failed because this connection did not log in, or has an old token. A log-in that has failed
     * is not repeated for some time.
     */
    boolean needsAnotherLogIn(Status failure) {
        if (open.toCompletableFuture().isCompletedExceptionally()) {
            return logsIn && platform.nanoTime() - since >= LOG_IN_PAUSE.toNanos();
        }
        return logsIn && (Failures.isWithoutUser(failure) || Failures.isTokenTooOld(failure));
    }

    /** Returns {@code true} if a call has been answered since the given {@code nanoTime}. */
    boolean hasAnsweredSince(long nanos) {
        return lastAnswer - nanos >= 0;
    }

    /** Ends all calls that are under way, and refuses further ones. */
    void close() {
        var unused = channel.shutdownNow();
    }
}
