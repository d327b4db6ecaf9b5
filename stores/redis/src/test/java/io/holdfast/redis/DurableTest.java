package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.Safety;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.recipes.MultiLock;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Grants that count when disks have them: needs a server that can tell. */
@Tag("valkey")
class DurableTest {

    private static final String[] ON_DISK = {"--appendonly", "yes", "--appendfsync", "always"};

    private static Holdfast connect(Servers servers, Safety safety) {
        return Holdfast.builder()
                .uri(servers.uri())
                .lease(Duration.ofSeconds(20))
                .safety(safety)
                .build();
    }

    @Test
    void whatWasGrantedIsKnownAfterTheServerWasKilled() throws Exception {
        try (Servers servers = Servers.start(ON_DISK);
                Holdfast client = connect(servers, Safety.durable())) {
            Lease lease = client.lock("n").acquire();
            CompletableFuture<Lease> other = client.fairLock("m").async().acquire();
            Await.reply(other);
            servers.server.kill();
            servers.server.restart();
            Await.until("it is connected to again", () -> isHeld(client, "n"));
            assertThat(lease.isValid()).isTrue();
            long token = lease.fencingToken();
            lease.close();
            other.join().close();
            try (Lease next = client.lock("n").acquire()) {
                assertThat(next.fencingToken()).isGreaterThan(token);
            }
        }
    }

    private static boolean isHeld(Holdfast client, String name) {
        try {
            return !client.inspect(name).holders().isEmpty();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    @Test
    void allKindsWork() throws InterruptedException {
        try (Servers servers = Servers.start(ON_DISK);
                Holdfast client = connect(servers, Safety.durable())) {
            client.fairLock("fair").acquire().close();
            client.readWriteLock("read").readLock().acquire().close();
            client.semaphore("permits").trySetPermits(1);
            client.semaphore("permits").acquire().close();
            MultiLock.of(client.lock("m1"), client.lock("m2")).acquire().close();
            assertThat(servers.calls("waitaof")).isPositive();
        }
    }

    @Test
    void theDisksOfReplicasCountIfTheyAreWanted() throws Exception {
        try (Servers master = Servers.start(ON_DISK);
                Servers replica = Servers.following(master);
                Holdfast one = connect(master, Safety.durable());
                Holdfast both = connect(master, Safety.durable(1))) {
            one.lock("n").acquire().close();
            assertThatThrownBy(() -> both.lock("n").tryLock())
                    .isInstanceOf(IndeterminateLockException.class)
                    .hasMessageContaining("only 0 of 1 replicas have it on their disks after 600 ms");
            replica.redis.configSet("appendfsync", "always");
            replica.redis.configSet("appendonly", "yes");
            Await.until(
                    "the replica writes",
                    () -> replica.redis.info("persistence").contains("aof_rewrite_in_progress:0"));
            Await.reply(both.lock("n").async().acquire()).close();
        }
    }

    @Test
    void aServerThatKeepsNothingIsRefusedUntilItDoes() throws Exception {
        try (Servers servers = Servers.start();
                Holdfast client = impatient(servers)) {
            assertThatThrownBy(() -> connect(servers, Safety.durable()))
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("safety durable: it keeps nothing on its disk; set appendonly to yes");
            Await.until("it is refused", () -> isRefused(client, "it keeps nothing on its disk"));
            assertThat(servers.keys()).isEmpty();
            servers.redis.configSet("appendfsync", "always");
            servers.redis.configSet("appendonly", "yes");
            Await.until("it is asked again", () -> isGranted(client));
        }
    }

    private static boolean isGranted(Holdfast client) {
        try (Lease lease = client.lock("n").tryAcquire().orElseThrow()) {
            return lease.isValid();
        } catch (StoreRefusedException | StoreUnavailableException | IndeterminateLockException e) {
            return false;
        }
    }

    private static boolean isRefused(Holdfast client, String text) {
        return catchThrowable(() -> client.lock("n").tryLock()) instanceof StoreRefusedException e
                && e.getMessage().contains(text);
    }

    @Test
    void aDiskThatIsNeverWrittenGrantsNothing() throws Exception {
        try (Servers servers = Servers.start("--appendonly", "yes", "--appendfsync", "no")) {
            String uri = servers.allow("app", "+@all", "-config", "~*", "&*");
            try (Holdfast client =
                    Holdfast.builder().uri(uri).safety(Safety.durable()).build()) {
                assertThatThrownBy(() -> client.lock("n").tryLock())
                        .isInstanceOf(IndeterminateLockException.class)
                        .hasMessageContaining("it is not on the server's disk after 600 ms; set appendfsync to always");
                Await.until("it is given back", () -> servers.redis.exists("n") == 0);
            }
        }
    }

    /** One that soon looks again. */
    private static Holdfast impatient(Servers servers) {
        return Holdfast.builder()
                .uri(servers.uri())
                .commandTimeout(Duration.ofMillis(300))
                .safety(Safety.durable())
                .lazy()
                .build();
    }

    @Test
    void itIsLookedAtAgainHowADiskIsWritten() throws Exception {
        try (Servers servers = Servers.start(ON_DISK);
                Holdfast client = impatient(servers)) {
            Await.until("it is granted", () -> isGranted(client));
            servers.redis.configSet("appendfsync", "everysec");
            Await.until("it is refused", () -> isRefused(client, "appendfsync"));
            servers.redis.configSet("appendfsync", "always");
            Await.until("it is granted", () -> isGranted(client));
        }
    }

    /** What it answers then says nothing of its disk. */
    @Test
    void aServerThatIsMadeAReplicaIsLeftAndNotRefused() throws Exception {
        try (Servers servers = Servers.start(ON_DISK);
                Servers other = Servers.start(ON_DISK);
                Holdfast client = impatient(servers)) {
            Await.until("it is granted", () -> isGranted(client));
            servers.redis.replicaof("127.0.0.1", other.server.port());
            List<Throwable> errors = new ArrayList<>();
            Await.until("it is asked where the master is", () -> {
                errors.add(catchThrowable(() -> client.lock("n").tryLock()));
                return String.valueOf(errors.get(errors.size() - 1)).contains("cannot connect: it is a replica");
            });
            assertThat(errors).noneMatch(StoreRefusedException.class::isInstance);
        }
    }

    @Test
    void aServerThatHidesItsConfigurationIsBelieved() throws Exception {
        try (Servers servers = Servers.start(
                        "--appendonly", "yes", "--appendfsync", "always", "--rename-command", "CONFIG", "");
                Holdfast client = connect(servers, Safety.durable())) {
            client.lock("n").acquire().close();
            assertThat(servers.calls("waitaof")).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"everysec", "no"})
    void aServerWhoseDiskDoesNotFollowIsRefused(String when) {
        try (Servers servers = Servers.start("--appendonly", "yes", "--appendfsync", when)) {
            assertThatThrownBy(() -> connect(servers, Safety.durable()))
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining(
                            "safety durable: its disk lags behind; set appendfsync to always, from " + when);
        }
    }

    @Test
    void withoutTheRightToWaitNothingIsAskedFor() {
        try (Servers servers = Servers.start(ON_DISK)) {
            String uri = servers.allow("hasty", "+@all", "-waitaof", "~*", "&*");
            assertThatThrownBy(() ->
                            Holdfast.builder().uri(uri).safety(Safety.durable()).build())
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("safety durable: the user lacks a right")
                    .hasMessageContaining("'waitaof'");
        }
    }
}
