package io.holdfast.spring.aop;

import java.util.concurrent.CompletableFuture;
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
        return isActive() ? new InTransaction(held) : held;
    }

    /**
     * Returns a future that completes when the transaction of the caller has ended. It is complete if the caller has none.
     */
    static CompletableFuture<Void> end() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        if (isActive()) {
            atEnd(() -> {}, () -> ended.complete(null));
        } else {
            ended.complete(null);
        }
        return ended;
    }

    private static boolean isActive() {
        return PRESENT && TransactionSynchronizationManager.isSynchronizationActive();
    }

    /**
     * Registers what is done at the end of the transaction.
     *
     * @param check throws if the transaction must not commit
     */
    private static void atEnd(Runnable check, Runnable end) {
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

    /** A hold that the transaction releases, on the thread of the transaction. A lost hold lets no transaction commit. */
    private record InTransaction(Held held) implements Held {

        @Override
        public long token() {
            return held.token();
        }

        @Override
        public void requireNotLost() {
            held.requireNotLost();
        }

        @Override
        public void close() {
            if (isActive()) {
                atEnd(held::requireNotLost, held::close);
                held.requireNotLost();
            } else {
                held.close();
            }
        }
    }
}
