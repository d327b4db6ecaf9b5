package io.holdfast.etcd.connection;

import io.grpc.stub.StreamObserver;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/** The one answer of a call. */
final class Answer<A> extends CompletableFuture<A> implements StreamObserver<A> {

    @Override
    public void onNext(A value) {
        complete(value);
    }

    @Override
    public void onError(Throwable error) {
        completeExceptionally(error);
    }

    @Override
    public void onCompleted() {
        completeExceptionally(new CancellationException("the server has ended the call without an answer"));
    }
}
