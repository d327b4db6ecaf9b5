package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@Tag("everywhere")
class SimulationTest {

    private final Simulation simulation = Simulation.of(1);
    private final List<String> seen = new ArrayList<>();

    @AfterEach
    void close() {
        simulation.close();
    }

    @Nested
    class Time {

        @Test
        void standsStillWhileNothingRuns() {
            assertThat(simulation.elapsed()).isZero();
            simulation.runReady();
            assertThat(simulation.elapsed()).isZero();
        }

        @Test
        void passesForThoseWhoSleep() {
            SimThread sleeper = simulation.start("sleeper", () -> simulation.sleep(Duration.ofDays(1)));
            sleeper.join();
            assertThat(simulation.elapsed()).isEqualTo(Duration.ofDays(1));
        }

        @Test
        void passesInRunForEvenIfNothingHappens() {
            long nanos = simulation.nanoTime();
            long wall = simulation.wallMillis();
            simulation.runFor(Duration.ofSeconds(3));
            assertThat(simulation.nanoTime() - nanos).isEqualTo(3_000_000_000L);
            assertThat(simulation.wallMillis() - wall).isEqualTo(3_000);
        }

        @Test
        void stepsOfTheWallClockLeaveNanoTimeAlone() {
            long nanos = simulation.nanoTime();
            long wall = simulation.wallMillis();
            simulation.stepWallClock(Duration.ofSeconds(-5));
            assertThat(simulation.wallMillis() - wall).isEqualTo(-5_000);
            simulation.suspend(Duration.ofSeconds(7));
            assertThat(simulation.wallMillis() - wall).isEqualTo(2_000);
            assertThat(simulation.nanoTime()).isEqualTo(nanos);
        }

        @Test
        void overflowsSoonInSomeRuns() {
            long overflowing = LongStream.range(0, 30)
                    .mapToObj(Simulation::of)
                    .filter(each -> each.nanoTime() + Duration.ofMinutes(1).toNanos() < 0 && each.nanoTime() > 0)
                    .count();
            assertThat(overflowing).isBetween(1L, 29L);
        }
    }

    @Nested
    class Parking {

        @Test
        void endsWhenTheTimeIsUp() {
            simulation
                    .start("parked", () -> {
                        long start = simulation.nanoTime();
                        simulation.park(this, 1_000);
                        seen.add("after " + (simulation.nanoTime() - start));
                    })
                    .join();
            assertThat(seen).containsExactly("after 1000");
        }

        @Test
        void ofNoTimeReturnsAtOnce() {
            simulation.start("parked", () -> simulation.park(this, 0)).join();
            assertThat(simulation.elapsed()).isZero();
        }

        @Test
        void endsByUnpark() {
            SimThread parked = simulation.start("parked", () -> simulation.park(this, Long.MAX_VALUE));
            simulation.runReady();
            assertThat(parked.parked()).isTrue();
            simulation.unpark(parked.realThread());
            assertThat(parked.parked()).isFalse();
            parked.join();
            assertThat(simulation.elapsed()).isZero();
        }

        @Test
        void returnsAtOnceAfterAnEarlierUnparkButOnlyOnce() {
            SimThread parked = simulation.start("parked", () -> {
                simulation.sleep(Duration.ofSeconds(1));
                simulation.unpark(Thread.currentThread());
                simulation.park(this, Long.MAX_VALUE);
                seen.add("once");
                simulation.park(this, Long.MAX_VALUE);
                seen.add("twice");
            });
            simulation.run();
            assertThat(seen).containsExactly("once");
            simulation.unpark(parked.realThread());
            parked.join();
        }

        @Test
        void endsByInterruptAndKeepsTheFlag() {
            SimThread parked = simulation.start("parked", () -> {
                simulation.park(this, Long.MAX_VALUE);
                seen.add("interrupted " + Thread.currentThread().isInterrupted());
                simulation.park(this, Long.MAX_VALUE);
                seen.add("still " + Thread.interrupted());
            });
            simulation.runReady();
            parked.interrupt();
            parked.join();
            assertThat(seen).containsExactly("interrupted true", "still true");
        }

        @Test
        void isPossibleForTheTestItself() {
            Thread test = Thread.currentThread();
            simulation.start("waker", () -> {
                simulation.sleep(Duration.ofSeconds(2));
                simulation.unpark(test);
            });
            simulation.park(this, Long.MAX_VALUE);
            assertThat(simulation.elapsed()).isEqualTo(Duration.ofSeconds(2));
            simulation.park(this, 1_000_000_000);
            assertThat(simulation.elapsed()).isEqualTo(Duration.ofSeconds(3));
            simulation.runThreads();
        }

        @Test
        void forEverOfTheTestItselfFails() {
            assertThatThrownBy(() -> simulation.park(this, Long.MAX_VALUE))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("nothing is left that could wake it")
                    .hasMessageContaining("seed 1");
        }

        @Test
        void mayReturnForNoReason() {
            simulation.spuriousWakeups(1);
            simulation
                    .start("parked", () -> simulation.park(this, Long.MAX_VALUE))
                    .join();
            assertThat(simulation.elapsed()).isZero();
        }

        @Test
        void isRefusedToThreadsFromOutside() throws InterruptedException {
            Thread outside = new Thread(() -> {
                try {
                    simulation.park(this, 1);
                } catch (IllegalStateException e) {
                    seen.add("refused");
                }
            });
            simulation
                    .start("inside", () -> {
                        outside.start();
                        outside.join();
                    })
                    .join();
            assertThat(seen).containsExactly("refused");
        }
    }

    @Nested
    class Threads {

        @Test
        void runOneAtATime() {
            int[] inside = {0, 0};
            for (int i = 0; i < 10; i++) {
                simulation.start("t" + i, () -> {
                    for (int n = 0; n < 100; n++) {
                        assertThat(++inside[0]).isEqualTo(1);
                        inside[0]--;
                        inside[1]++;
                        simulation.letOthersRun();
                    }
                });
            }
            simulation.runThreads();
            assertThat(inside[1]).isEqualTo(1_000);
        }

        @Test
        void areDeadWhenDone() {
            SimThread thread = simulation.start("short", () -> {});
            simulation.runUntil(thread::done, Duration.ZERO);
            assertThat(thread.realThread().isAlive()).isFalse();
            simulation.unpark(thread.realThread());
        }

        @Test
        void tellTheirFailure() {
            SimThread thread = simulation.start("failing", () -> {
                throw new IllegalStateException("planted");
            });
            simulation.run();
            assertThat(thread.failure()).get().asString().contains("planted");
            assertThatThrownBy(thread::join).hasMessageContaining("planted").hasMessageContaining("failing");
        }

        @Test
        void mayStartAndJoinOthers() {
            simulation
                    .start("parent", () -> {
                        SimThread child = simulation.start("child", () -> simulation.sleep(Duration.ofSeconds(1)));
                        child.join();
                        seen.add("joined " + child.done());
                    })
                    .join();
            assertThat(seen).containsExactly("joined true");
        }

        @Test
        void mayBeKilledWhereTheyPark() {
            SimThread victim = simulation.start("victim", () -> {
                try {
                    simulation.park(this, Long.MAX_VALUE);
                } finally {
                    seen.add("unwound");
                }
                seen.add("survived");
            });
            simulation.runReady();
            simulation.kill(victim);
            victim.join();
            assertThat(seen).containsExactly("unwound");
            assertThat(victim.failure()).isEmpty();
        }

        @Test
        void mayAwaitAStageThatIsCompletedLater() {
            Platform.Timer timer = simulation.timer("timer");
            CompletableFuture<String> stage = new CompletableFuture<>();
            var unused = timer.schedule(5, () -> stage.complete("value"));
            simulation
                    .start("awaiting", () -> seen.add(simulation.await(stage)))
                    .join();
            assertThat(seen).containsExactly("value");
            assertThat(simulation.await(stage)).isEqualTo("value");
            assertThatThrownBy(() -> simulation.await(CompletableFuture.failedFuture(new RuntimeException("planted"))))
                    .hasMessage("planted");
            timer.close();
        }
    }

    @Nested
    class TimersAndWorkers {

        @Test
        void timersRunTasksInTheOrderOfTheirMoments() {
            Platform.Timer timer = simulation.timer("timer");
            var last = timer.schedule(20, () -> seen.add("20"));
            var first = timer.schedule(10, () -> seen.add("10"));
            var second = timer.schedule(10, () -> seen.add("10 too"));
            var atOnce = timer.schedule(-1, () -> seen.add("0"));
            assertThat(List.of(last, first, second, atOnce)).hasSize(4);
            simulation.run();
            assertThat(seen).containsExactly("0", "10", "10 too", "20");
        }

        @Test
        void cancelledTasksDoNotRun() {
            Platform.Timer timer = simulation.timer("timer");
            timer.schedule(10, () -> seen.add("cancelled")).cancel();
            Platform.Task[] due = new Platform.Task[1];
            due[0] = timer.schedule(20, () -> seen.add("cancelled when due"));
            var canceller = simulation.timer("other").schedule(20, due[0]::cancel);
            simulation.run();
            canceller.cancel();
            assertThat(seen).doesNotContain("cancelled");
        }

        @Test
        void closedTimersDropTheirTasks() {
            Platform.Timer timer = simulation.timer("timer");
            var before = timer.schedule(10, () -> seen.add("before"));
            timer.close();
            var after = timer.schedule(10, () -> seen.add("after"));
            before.cancel();
            after.cancel();
            simulation.run();
            assertThat(seen).isEmpty();
        }

        @Test
        void aTaskOfATimerMustNotWait() {
            var unused = simulation.timer("timer").schedule(0, () -> simulation.park(this, 1));
            assertThatThrownBy(simulation::run).hasMessageContaining("must not wait");
        }

        @Test
        void tasksOfWorkersMayWaitAndOthersRunMeanwhile() {
            Platform.Worker worker = simulation.worker("worker", 2);
            worker.execute(() -> {
                simulation.sleep(Duration.ofSeconds(1));
                seen.add("slow");
            });
            worker.execute(() -> seen.add("quick"));
            simulation.run();
            assertThat(seen).containsExactly("quick", "slow");
        }

        @Test
        void aWorkerOfOneThreadKeepsTheOrder() {
            Platform.Worker worker = simulation.worker("worker", 1);
            worker.execute(() -> {
                simulation.sleep(Duration.ofSeconds(1));
                seen.add("slow");
            });
            worker.execute(() -> seen.add("quick"));
            worker.close();
            assertThatThrownBy(() -> worker.execute(() -> seen.add("rejected")))
                    .isInstanceOf(RejectedExecutionException.class);
            simulation.run();
            assertThat(seen).containsExactly("slow", "quick");
        }

        @Test
        void tasksRunOnThreadsOfTheRightName() {
            Runnable task = () -> seen.add(Thread.currentThread().getName());
            simulation.worker("worker", 1).execute(task);
            var unused = simulation.timer("timer").schedule(1, task);
            simulation.run();
            assertThat(seen).containsExactly("worker", "timer");
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .doesNotContain("worker", "timer");
        }

        @Test
        void aFailingTaskFailsTheRun() {
            simulation.worker("worker", 1).execute(() -> {
                throw new IllegalStateException("planted");
            });
            assertThatThrownBy(simulation::run)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("planted")
                    .hasMessageContaining("worker");
        }
    }

    @Nested
    class Runs {

        @Test
        void endWhenTheConditionHolds() {
            AtomicInteger count = new AtomicInteger();
            SimThread counting = simulation.start("counting", () -> {
                while (count.incrementAndGet() < 100) {
                    simulation.sleep(Duration.ofMillis(1));
                }
            });
            simulation.runUntil(() -> count.get() == 10, Duration.ofSeconds(1));
            assertThat(count).hasValue(10);
            assertThat(counting.done()).isFalse();
            simulation.run();
        }

        @Test
        void failWithTheLogWhenItDoesNot() {
            simulation.log("a trace");
            assertThatThrownBy(() -> simulation.runUntil(() -> false, Duration.ofSeconds(1)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("a trace")
                    .hasMessageContaining("seed 1");
        }

        @Test
        void failWhenTheConditionFails() {
            assertThatThrownBy(() -> simulation.runUntil(
                            () -> {
                                throw new IllegalStateException("planted");
                            },
                            Duration.ofSeconds(1)))
                    .hasMessageContaining("planted");
        }

        @Test
        void failWhenNoTimePasses() {
            Platform.Timer timer = simulation.timer("timer");
            Runnable[] again = new Runnable[1];
            again[0] = () -> {
                var unused = timer.schedule(0, again[0]);
            };
            again[0].run();
            assertThatThrownBy(simulation::run).hasMessageContaining("no time has passed");
            timer.close();
        }

        @Test
        void failWhenAThreadBlocksElsewhere() {
            Simulation stuck = Simulation.of(1);
            stuck.patience(Duration.ofMillis(300));
            stuck.start("blocked", () -> new CompletableFuture<String>().get(30, TimeUnit.SECONDS));
            assertThatThrownBy(stuck::run)
                    .hasMessageContaining("'blocked'")
                    .hasMessageContaining("outside of Platform.park")
                    .hasRootCauseInstanceOf(IllegalStateException.class);
            assertThatThrownBy(stuck::close).hasMessageContaining("blocked");
        }
    }

    @Nested
    class Seeds {

        @Test
        void areAllThatDecides() {
            assertThat(logOf(7)).isEqualTo(logOf(7)).hasSizeGreaterThan(500);
        }

        @Test
        void giveDifferentRuns() {
            Set<String> logs = new HashSet<>();
            for (long seed = 0; seed < 20; seed++) {
                logs.add(logOf(seed));
            }
            assertThat(logs).hasSize(20);
        }

        private String logOf(long seed) {
            try (Simulation run = Simulation.of(seed)) {
                run.spuriousWakeups(0.1);
                Platform.Worker worker = run.worker("worker", 2);
                Platform.Timer timer = run.timer("timer");
                List<SimThread> threads = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    int number = i;
                    threads.add(run.start("thread-" + i, () -> {
                        for (int n = 0; n < 10; n++) {
                            run.sleep(Duration.ofNanos(Math.floorMod(run.randomLong(), 1_000)));
                            run.letOthersRun();
                            worker.execute(() -> run.sleep(Duration.ofNanos(5)));
                            var unused = timer.schedule(
                                    n,
                                    () -> run.unpark(
                                            threads.get((number + 1) % 5).realThread()));
                            run.log("random " + run.randomLong());
                        }
                    }));
                }
                threads.get(3).interrupt();
                run.run();
                return String.join("\n", run.log());
            }
        }
    }

    @Nested
    class Ends {

        @Test
        void closeUnwindsAndReportsWhoHasNotEnded() {
            Simulation left = Simulation.of(1);
            SimThread parked = left.start("parked", () -> left.park(this, Long.MAX_VALUE));
            left.worker("worker", 1).execute(() -> left.park(this, Long.MAX_VALUE));
            left.run();
            left.start("unborn", () -> seen.add("ran"));
            assertThat(left.leftovers()).contains("thread parked", "thread unborn", "worker worker with 1 tasks");
            assertThatThrownBy(left::close)
                    .hasMessageContaining("parked")
                    .hasMessageContaining("worker")
                    .hasMessageContaining("unborn");
            assertThat(parked.realThread().isAlive()).isFalse();
            assertThat(seen).isEmpty();
            left.close();
        }

        @Test
        void closeReportsFailuresThatNobodySaw() {
            Simulation failing = Simulation.of(1);
            failing.start("failing", () -> {
                throw new IllegalStateException("planted");
            });
            failing.run();
            assertThatThrownBy(failing::close).hasMessageContaining("planted");
        }

        @Test
        void noThreadIsLeftAfterClose() {
            Simulation used = Simulation.of(1);
            var unused = used.timer("timer").schedule(1, () -> {});
            used.worker("worker", 3).execute(() -> used.sleep(Duration.ofSeconds(1)));
            used.run();
            used.close();
            assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().startsWith("simulation-") && thread.isAlive());
        }
    }
}
