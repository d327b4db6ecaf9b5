package io.holdfast.spring.aop;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The end of the transaction of the calling thread. Only an application with spring-tx can load this class. */
final class TransactionEnd {

    private TransactionEnd() {}

    static boolean isAwaited() {
        return TransactionSynchronizationManager.isSynchronizationActive();
    }

    /**
     * Registers what is done at the end.
     *
     * @param check throws if the transaction must not commit
     */
    static void register(Runnable check, Runnable end) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                check.run();
            }

            @Override
            public void afterCompletion(int status) {
                end.run();
            }
        });
    }
}
