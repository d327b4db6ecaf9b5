package io.holdfast.testkit.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreProvider;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The experiment of docs/failover.md: the leader is killed right after it has granted a lock, and another client asks for the
 * lock. It is repeated as often as {@code holdfast.outages} says.
 */
public abstract class FailoverRules {

    private static final int ROUNDS = Integer.getInteger("holdfast.outages", 2);
    private static final Duration SESSION = Duration.ofSeconds(20);
    private static final Duration COMMAND = Duration.ofSeconds(2);
    private static final Duration ANSWER = Duration.ofSeconds(30);

    private final StoreProvider provider;

    /** Creates the rules for the stores of a provider. */
    protected FailoverRules(StoreProvider provider) {
        this.provider = provider;
    }

    /** Starts three servers. */
    protected abstract Cluster newCluster();

    @Test
    void aGrantThatWasAnsweredIsNotForgotten() {
        try (Cluster cluster = newCluster()) {
            for (int round = 1; round <= ROUNDS; round++) {
                killTheLeader(cluster, "failover" + round, round);
            }
        }
    }

    private StoreClient client(Cluster cluster) {
        return new StoreClient(
                provider, cluster.uri(SESSION), config -> config.withTimeouts(COMMAND, config.connectTimeout()));
    }

    private void killTheLeader(Cluster cluster, String name, int round) {
        StoreClient holder = client(cluster);
        try (StoreClient other = client(cluster)) {
            int leader = cluster.leader();
            Acquire.Granted granted = (Acquire.Granted) Await.answer(() -> holder.acquire(name, 1));
            cluster.kill(leader);
            long killed = System.nanoTime();
            Acquire.Reply answer = Await.answer(() -> other.acquire(name, 1));
            Duration outage = Duration.ofNanos(System.nanoTime() - killed);
            assertEquals(
                    Optional.of(holder.tenure(1).toString()),
                    answer instanceof Acquire.Refused refused ? refused.holder() : Optional.of("" + answer),
                    "the holder in the first answer after the failover");
            assertTrue(outage.compareTo(ANSWER) < 0, () -> "the outage took " + outage);
            cluster.awaitLeader();
            System.out.printf(
                    "round %d: led by server %d, then %d; refused %d ms after the kill%n",
                    round, leader, cluster.leader(), outage.toMillis());
            cluster.start(leader);
            Await.until("its release is answered", () -> isAnswered(holder, name));
            Await.until("it is granted", () -> {
                Acquire.Reply reply = Await.answer(() -> other.acquire(name, 2));
                return reply instanceof Acquire.Granted later
                        && later.tokens().first() > granted.tokens().last();
            });
        } finally {
            holder.close();
        }
    }

    /** On a busy machine, the session may have ended during the outage, and the hold with it. */
    private static boolean isAnswered(StoreClient holder, String name) {
        try {
            var unused = holder.release(name, 1);
            return true;
        } catch (StoreException e) {
            return false;
        }
    }
}
