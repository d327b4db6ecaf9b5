package io.holdfast.spring.aop;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls back a transaction that ends in a method with a lock, if the client knows that the lock was lost. The check is the last
 * step before the commit.
 */
public final class TransactionsUnderLocks implements TransactionExecutionListener {

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        RunningHolds.requireNotLost();
    }
}
