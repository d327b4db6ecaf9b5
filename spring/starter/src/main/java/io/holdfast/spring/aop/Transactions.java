package io.holdfast.spring.aop;

import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.springframework.util.ClassUtils;

/** Keeps a hold until the transaction of the caller has ended. */
final class Transactions {

    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            Transactions.class.getClassLoader());

    private Transactions() {}

    /**
     * Returns what makes of a hold one whose close releases it after the transaction of the caller has ended, or at once if the
     * caller has none. It is called before the hold is acquired, so that no failure of it leaves a hold without an owner.
     */
    static UnaryOperator<Held> untilEnd() {
        return isActive() ? InTransaction::new : held -> held;
    }

    /**
     * Returns a future that completes when the transaction of the caller has ended. It is complete if the caller has none.
     */
    static CompletableFuture<Void> end() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        if (isActive()) {
            TransactionEnd.register(() -> {}, () -> ended.complete(null));
        } else {
            ended.complete(null);
        }
        return ended;
    }

    /** Lets the transaction of the caller, if there is one, not commit if the hold is lost by then. */
    static void requireAtCommit(Held held) {
        if (isActive()) {
            TransactionEnd.register(held::requireNotLost, () -> {});
        }
    }

    private static boolean isActive() {
        return PRESENT && TransactionEnd.isAwaited();
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
                TransactionEnd.register(held::requireNotLost, held::close);
                held.requireNotLost();
            } else {
                held.close();
            }
        }
    }
}
