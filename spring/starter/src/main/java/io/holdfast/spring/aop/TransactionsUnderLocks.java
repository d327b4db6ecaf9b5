package io.holdfast.spring.aop;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/** Rolls back a transaction that began in a method with a lock, if the client knows before the commit that the lock was lost. */
public final class TransactionsUnderLocks implements TransactionExecutionListener {

    private final RunningHolds holds;

    /** Creates the listener of all transaction managers of an application. */
    public TransactionsUnderLocks(RunningHolds holds) {
        this.holds = holds;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
        List<Held> running = holds.all();
        if (beginFailure == null && !running.isEmpty() && TransactionEnd.isAwaited()) {
            TransactionEnd.register(() -> running.forEach(Held::requireNotLost), () -> {});
        }
    }
}
