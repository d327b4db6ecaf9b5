package io.holdfast.cli.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
@Tag("everywhere")
class RunTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Plan PLAN = Plan.of(LEASE, Duration.ofSeconds(10));

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final List<String> said = new CopyOnWriteArrayList<>();
    private Duration left = Duration.ofMillis(900);
    private long end;
    private final Deque<Duration> slow = new ArrayDeque<>();
    private final AtomicInteger answers = new AtomicInteger(Integer.MAX_VALUE);

    /** As when another client has handed the lock over: valid for a moment, until it is renewed. */
    private Object answer(Object lease, Method asked, Object[] arguments) {
        if (asked.getName().equals("ensureValid")) {
            ensureValid((Duration) arguments[0]);
        }
        return switch (asked.getName()) {
            case "remainingLease" -> end == 0 ? left : remaining();
            case "fencingToken" -> 1L;
            case "name" -> "lock";
            default -> lease;
        };
    }

    private void ensureValid(Duration least) {
        if (!least.isZero() && answers.getAndDecrement() <= 0) {
            throw new StoreUnavailableException("lock", "no answer", null);
        }
        if (left.compareTo(least) < 0) {
            left = LEASE;
        }
    }

    private Duration remaining() {
        if (!slow.isEmpty()) {
            LockSupport.parkNanos(slow.poll().toNanos());
        }
        return Duration.ofNanos(end - System.nanoTime());
    }

    private Lease lease() {
        return (Lease) Proxy.newProxyInstance(Lease.class.getClassLoader(), new Class<?>[] {Lease.class}, this::answer);
    }

    @Test
    void whatWasHandedOverIsRenewedBeforeTheCommandBegins() throws Exception {
        Lease lease = lease();
        try (Guard guard = Guard.start(events::add)) {
            Launch launch = new Launch(List.of("sh", "-c", "sleep 2; exit 7"), lease);

            int exit = new Run(lease, PLAN, guard, launch, events, said::add).untilTheEnd();

            assertThat(exit).as("%s", said).isEqualTo(7);
        }
    }

    @Test
    void aRenewalBetweenTheTermAndItsAnswerEndsTheWarning(@TempDir Path folder) throws Exception {
        Path ready = folder.resolve("ready");
        Plan plan = new Plan(2_000, 4_000, 1_000, 100);
        Lease lease = lease();
        end = System.nanoTime() + LEASE.toNanos();
        try (Guard guard = Guard.start(events::add)) {
            Launch launch =
                    new Launch(List.of("sh", "-c", "trap '' TERM; touch " + ready + "; sleep 5; exit 7"), lease);
            Run run = new Run(lease, plan, guard, launch, events, said::add);
            Await.await("the command ignores TERM", () -> Files.exists(ready));

            guard.valid(new Run.Times(Clock.millis() + 20_000, Clock.millis(), Clock.millis() + 22_000));
            Await.await("the TERM", () -> events.contains(new Event.Said(guard, "warned")));
            end = System.nanoTime() + LEASE.multipliedBy(2).toNanos();

            assertThat(run.untilTheEnd()).as("%s", said).isEqualTo(7);
            assertThat(said).hasSize(2).last().asString().contains("renewed again");
        }
    }

    @Test
    void aGuardThatReplacesOneAfterTheLossKillsTheCommand() throws Exception {
        // so that only the order to kill ends it
        left = Duration.ofMinutes(30);
        assertThat(withAReplacedGuard(() -> events.add(new Event.Lost("the lock is lost"))))
                .isEqualTo(ExitStatus.LOST);
    }

    @Test
    void aGuardThatReplacesOneInDoubtGetsItsTimes() throws Exception {
        left = Duration.ofSeconds(6);
        assertThat(withAReplacedGuard(() -> left = Duration.ZERO)).isEqualTo(ExitStatus.LOST);
    }

    @Test
    void noCommandBeginsUnderAGuardThatWasKilled() throws Exception {
        left = LEASE;
        Set<Long> before = guards();
        try (Guard guard = Guard.start(events::add)) {
            guard.awaitReady();
            Set<Long> killed = guards();
            killed.removeAll(before);
            for (long pid : killed) {
                Child.kill("KILL", pid);
            }
            Await.await("its end", () -> events.contains(new Event.GuardEnded(guard)));
            Launch launch = new Launch(List.of("sh", "-c", "sleep 60"), lease());
            assertThatThrownBy(() -> new Run(lease(), PLAN, guard, launch, events, said::add))
                    .isInstanceOfSatisfying(
                            Launch.NotStarted.class, e -> assertThat(e.exitCode).isEqualTo(ExitStatus.NOT_EXECUTABLE));
        }
    }

    /** The exit code of a run whose first guard stands still when something happens, and is then killed. */
    private int withAReplacedGuard(Runnable happens) throws Exception {
        Plan plan = new Plan(1_000, 1_500, 1_000, 100);
        Set<Long> before = guards();
        try (Guard guard = Guard.start(events::add)) {
            guard.awaitReady();
            Set<Long> first = guards();
            first.removeAll(before);
            Launch launch = new Launch(List.of("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"), lease());
            Run run = new Run(lease(), plan, guard, launch, events, said::add);

            assertThat(first).hasSize(1);
            for (long pid : first) {
                Child.kill("STOP", pid);
                happens.run();
                Child.kill("KILL", pid);
            }
            return run.untilTheEnd();
        }
    }

    private static Set<Long> guards() {
        return ProcessHandle.current()
                .children()
                .filter(each -> each.info().commandLine().orElse("").contains("holdfast-guard"))
                .map(ProcessHandle::pid)
                .collect(Collectors.toCollection(HashSet::new));
    }

    /** As on a busy machine: two looks at the lease take long, and the one after the TERM does not. */
    @Test
    void aSlowLookBeforeAFastOneIsNoRenewal() throws Exception {
        // the doubt about the lease brings the TERM, long before the guard would send it by its clock
        Plan plan = new Plan(1_000, 1_500, 20_000, 100);
        left = Duration.ofMillis(20_000);
        end = System.nanoTime() + left.toNanos();
        slow.addAll(List.of(Duration.ofMillis(400), Duration.ofMillis(200)));
        answers.set(1);
        try (Guard guard = Guard.start(events::add)) {
            Launch launch = new Launch(List.of("sh", "-c", "trap 'exit 0' TERM; sleep 60 & wait"), lease());
            Run run = new Run(lease(), plan, guard, launch, events, said::add);

            assertThat(run.untilTheEnd()).as("%s", said).isEqualTo(ExitStatus.LOST);
            assertThat(said).noneMatch(line -> line.contains("renewed again"));
        }
    }
}
