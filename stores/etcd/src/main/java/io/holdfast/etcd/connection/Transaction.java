package io.holdfast.etcd.connection;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.Compare.CompareResult;
import io.etcd.jetcd.api.Compare.CompareTarget;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;

/** A request that does several things if several conditions are true, all at once. etcd allows 128 of each. */
final class Transaction {

    private final TxnRequest.Builder request = TxnRequest.newBuilder();

    /** Requires that a key was written last at a revision, or that there is no such key for 0. */
    @CanIgnoreReturnValue
    Transaction ifWrittenAt(ByteString key, long revision) {
        return ifWritten(key, CompareResult.EQUAL, revision);
    }

    /** Requires that a key was written last at a revision or later, or nothing for 0. */
    @CanIgnoreReturnValue
    Transaction ifWrittenSince(ByteString key, long revision) {
        return ifWritten(key, CompareResult.GREATER, revision - 1);
    }

    @CanIgnoreReturnValue
    private Transaction ifWritten(ByteString key, CompareResult result, long revision) {
        request.addCompare(Compare.newBuilder()
                .setKey(key)
                .setTarget(CompareTarget.MOD)
                .setResult(result)
                .setModRevision(revision));
        return this;
    }

    @CanIgnoreReturnValue
    Transaction ifExists(ByteString key) {
        request.addCompare(Compare.newBuilder()
                .setKey(key)
                .setTarget(CompareTarget.CREATE)
                .setResult(CompareResult.GREATER)
                .setCreateRevision(0));
        return this;
    }

    /** Writes a key under a lease, or under none for 0. */
    @CanIgnoreReturnValue
    Transaction put(ByteString key, ByteString value, long lease) {
        request.addSuccess(RequestOp.newBuilder()
                .setRequestPut(
                        PutRequest.newBuilder().setKey(key).setValue(value).setLease(lease)));
        return this;
    }

    @CanIgnoreReturnValue
    Transaction delete(ByteString key) {
        request.addSuccess(RequestOp.newBuilder()
                .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key)));
        return this;
    }

    @CanIgnoreReturnValue
    Transaction read(ByteString key) {
        request.addSuccess(read(key, false));
        return this;
    }

    /** Asks for a key without its value. */
    @CanIgnoreReturnValue
    Transaction readKey(ByteString key) {
        request.addSuccess(read(key, true));
        return this;
    }

    /** Asks for a key without its value if a condition is not true. */
    @CanIgnoreReturnValue
    Transaction otherwiseReadKey(ByteString key) {
        request.addFailure(read(key, true));
        return this;
    }

    private static RequestOp.Builder read(ByteString key, boolean keysOnly) {
        return RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder().setKey(key).setKeysOnly(keysOnly));
    }

    TxnRequest request() {
        return request.build();
    }
}
