package io.holdfast.spring.aop;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** Keeps a hold until the transaction of the caller has ended. */
final class Transactions {

    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            Transactions.class.getClassLoader());

    private Transactions() {}

    /**
     * Returns a hold whose close releases the given one after the transaction of the caller has ended, or at once if the caller
     * has none.
     */
    static Held untilEnd(Held held) {
        return PRESENT && TransactionSynchronizationManager.isSynchronizationActive() ? new InTransaction(held) : held;
    }

    /** A hold that the transaction releases, on the thread of the transaction. */
    private record InTransaction(Held held) implements Held {

        @Override
        public long token() {
            return held.token();
        }

        @Override
        public void close() {
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int status) {
                        held.close();
                    }
                });
            } else {
                held.close();
            }
        }
    }
}
