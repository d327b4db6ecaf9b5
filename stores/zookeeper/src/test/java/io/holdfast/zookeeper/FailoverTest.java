package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.StoreException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * The experiment of docs/failover.md: the leader is killed right after it has granted a lock, and another client asks for the
 * lock. It is repeated as often as {@code holdfast.outages} says.
 */
class FailoverTest {

    private static final int ROUNDS = Integer.getInteger("holdfast.outages", 2);
    private static final Duration SESSION = Duration.ofSeconds(6);
    private static final Duration ANSWER = Duration.ofSeconds(10);

    @Test
    void aGrantThatWasAnsweredIsNotForgotten() {
        try (Ensemble ensemble = new Ensemble(3)) {
            for (int round = 1; round <= ROUNDS; round++) {
                killTheLeader(ensemble, "failover" + round, round);
            }
        }
    }

    private static StoreClient client(Ensemble ensemble) {
        return new StoreClient(new ZooKeeperStoreProvider(), ensemble.uri(SESSION), config -> config);
    }

    private static void killTheLeader(Ensemble ensemble, String name, int round) {
        StoreClient holder = client(ensemble);
        try (StoreClient other = client(ensemble)) {
            int leader = ensemble.leader();
            Acquire.Granted granted = holder.granted(name, 1);
            ensemble.kill(leader);
            long killed = System.nanoTime();
            Acquire.Reply answer = answered(other, name, 1);
            Duration outage = Duration.ofNanos(System.nanoTime() - killed);
            assertThat(answer).as("the first answer after the failover").isInstanceOf(Acquire.Refused.class);
            assertThat(((Acquire.Refused) answer).holder())
                    .contains(holder.tenure(1).toString());
            assertThat(outage).isLessThan(ANSWER);
            ensemble.awaitLeader();
            System.out.printf(
                    "round %d: led by server %d, then %d; refused %d ms after the kill%n",
                    round, leader, ensemble.leader(), outage.toMillis());
            ensemble.start(leader);
            Await.until("it is released", () -> released(holder, name));
            Await.until("it is granted", () -> {
                Acquire.Reply reply = answered(other, name, 2);
                return reply instanceof Acquire.Granted later
                        && later.tokens().first() > granted.tokens().last();
            });
        } finally {
            holder.close();
        }
    }

    private static boolean released(StoreClient holder, String name) {
        try {
            return holder.release(name, 1).held();
        } catch (StoreException e) {
            return false;
        }
    }

    /** Asks until there is an answer. */
    private static Acquire.Reply answered(StoreClient client, String name, long number) {
        AtomicReference<Optional<Acquire.Reply>> answer = new AtomicReference<>(Optional.empty());
        Await.until("an answer", () -> {
            try {
                answer.set(Optional.of(client.acquire(name, number)));
                return true;
            } catch (StoreException e) {
                return false;
            }
        });
        return answer.get().orElseThrow();
    }
}
