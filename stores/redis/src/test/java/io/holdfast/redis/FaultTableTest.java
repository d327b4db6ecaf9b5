package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.testkit.check.HistoryChecker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a fault of a real server may cost.
 *
 * <p>Two clients with threads that contend for two names, and a bystander that holds a third, go through a fault. Where the
 * server keeps what it acknowledged all guarantees are asserted: exclusion, rising tokens, no silent loss, nothing left
 * behind, everybody served again, one hold for one grant, the bystander untouched, errors of the foreseen kinds that name
 * the lock. Where the server forgets, all but exclusion; there the length of the overlap and the notice to the old holder
 * are asserted instead.
 */
@Tag("once")
class FaultTableTest {

    private static final Duration LEASE = Duration.ofSeconds(2);

    /** What is done to the server. */
    enum Harmless {
        PAUSE_SHORTER_THAN_THE_LEASE {
            @Override
            void happen(Servers servers) {
                servers.server.pause();
                Crowd.pass(Duration.ofMillis(900));
                servers.server.resume();
            }
        },
        PAUSE_LONGER_THAN_THE_LEASE {
            @Override
            void happen(Servers servers) {
                servers.server.pause();
                Crowd.pass(Duration.ofMillis(3_500));
                servers.server.resume();
            }

            @Override
            boolean leasesRunOut() {
                return true;
            }
        },
        KILL_AND_RESTART {
            @Override
            void happen(Servers servers) {
                servers.server.kill();
                Crowd.pass(Duration.ofMillis(200));
                servers.server.restart();
            }
        },
        CUT_CONNECTIONS {
            @Override
            void happen(Servers servers) {
                for (int i = 0; i < 5; i++) {
                    servers.cut();
                    Crowd.pass(Duration.ofMillis(100));
                }
            }
        },
        SCRIPT_FLUSH {
            @Override
            void happen(Servers servers) {
                for (int i = 0; i < 20; i++) {
                    servers.redis.scriptFlush();
                    Crowd.pass(Duration.ofMillis(10));
                }
            }
        };

        abstract void happen(Servers servers);

        boolean leasesRunOut() {
            return false;
        }
    }

    /** How a server forgets. */
    enum Forgetful {
        FLUSHALL {
            @Override
            void happen(Servers servers) {
                servers.redis.flushall();
            }
        },
        RESTART_WITHOUT_AOF {
            @Override
            void happen(Servers servers) {
                servers.server.restart();
            }
        };

        abstract void happen(Servers servers);
    }

    @ParameterizedTest
    @EnumSource
    void whereTheServerKeepsWhatItAcknowledgedAllGuaranteesHold(Harmless fault) {
        try (Servers servers = Servers.start("--appendonly", "yes", "--appendfsync", "always");
                Crowd crowd = new Crowd(servers.uri(), LEASE)) {
            crowd.work(Duration.ofMillis(700));
            fault.happen(servers);
            crowd.healthyAgain();
            crowd.work(Duration.ofMillis(700));
            crowd.stop();
            crowd.history().check(System.nanoTime());
            crowd.assertErrorsWereForeseen();
            if (!fault.leasesRunOut()) {
                crowd.assertBystanderWasNotDisturbed();
            }
            crowd.assertNothingIsLeft();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whereTheServerForgetsAllButExclusionHold(Forgetful fault) {
        try (Servers servers = Servers.start();
                Crowd crowd = new Crowd(servers.uri(), LEASE)) {
            crowd.work(Duration.ofMillis(700));
            fault.happen(servers);
            crowd.healthyAgain();
            crowd.work(Duration.ofMillis(700));
            crowd.stop();
            assertThat(crowd.history().violations(System.nanoTime()))
                    .noneMatch(violation -> violation.kind() == HistoryChecker.Kind.SILENT_LOSS);
            crowd.assertTokensRiseOnEachSide();
            crowd.assertErrorsWereForeseen();
            crowd.assertNothingIsLeft();
        }
    }

    @ParameterizedTest
    @EnumSource
    void anOverlapAfterTheServerForgotIsShortAndToldAndHasTheLowerToken(Forgetful fault) throws Exception {
        AtomicLong toldAt = new AtomicLong();
        try (Servers servers = Servers.start();
                Holdfast first = client(servers, toldAt);
                Holdfast second = client(servers, new AtomicLong())) {
            Lease old = first.lock("n").acquire();
            fault.happen(servers);
            long overlapBegins = System.nanoTime();
            try (Lease young = second.lock("n").acquire()) {
                Await.until("the old holder is told", () -> toldAt.get() != 0);
                assertThat(Duration.ofNanos(toldAt.get() - overlapBegins)).isLessThan(LEASE);
                assertThat(old.isValid()).isFalse();
                assertThat(old.token()).isLessThan(young.token());
                assertThat(young.isValid()).isTrue();
                assertThatThrownBy(old::close).isInstanceOf(LeaseLostException.class);
            }
        }
    }

    @Test
    void aKeyOverwrittenWithAnotherTypeDisturbsNoOtherLock() throws Exception {
        AtomicLong toldAt = new AtomicLong();
        try (Servers servers = Servers.start();
                Holdfast client = client(servers, toldAt)) {
            Lease poisoned = client.lock("poisoned").acquire();
            DistributedLock other = client.lock("other");
            other.lock();
            servers.redis.set("poisoned", "something else");
            Await.until("the poisoned hold is lost", () -> !poisoned.isValid());
            Crowd.pass(LEASE);
            assertThat(other.isValid()).isTrue();
            other.unlock();
            assertThatThrownBy(poisoned::close).isInstanceOf(LeaseLostException.class);
        }
    }

    private static Holdfast client(Servers servers, AtomicLong lostAt) {
        return Holdfast.builder()
                .uri(servers.uri())
                .lease(LEASE)
                .commandTimeout(Duration.ofMillis(500))
                .listener(event -> {
                    if (event instanceof LockEvent.Lost) {
                        lostAt.compareAndSet(0, System.nanoTime());
                    }
                })
                .build();
    }
}
