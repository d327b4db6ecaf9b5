package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.Simulation;
import io.holdfast.testkit.faults.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** Three clients with two threads each that do something at random, some times over, over a network with faults. */
abstract class RandomClients {

    private static final int CLIENTS = 3;
    private static final int THREADS = 2;
    private static final int ROUNDS = 6;

    /** After that long the store keeps no place of who did not ask again. */
    private static final Duration FORGOTTEN = Duration.ofSeconds(76);

    final Simulation sim;
    final List<Holdfast> clients = new ArrayList<>();
    final SimulatedServer server;

    RandomClients(Simulation sim) {
        this.sim = sim;
        server = sim.server("s");
        for (int c = 0; c < CLIENTS; c++) {
            clients.add(Holdfast.builder()
                    .uri("simulated:s")
                    .platform(sim)
                    .name("c" + c)
                    .lease(Duration.ofMillis(900))
                    .commandTimeout(Duration.ofMillis(300))
                    .listener(this::onEvent)
                    .build());
        }
    }

    /** What a thread of the client does at random. */
    abstract void once(Holdfast client) throws InterruptedException;

    void onEvent(LockEvent event) {}

    /** Runs for one seed after the other, and returns how much a run counted in the mean. */
    static <W extends RandomClients> double mean(int runs, Function<Simulation, W> work, ToIntFunction<W> run) {
        long first = Long.getLong("holdfast.seed", 1);
        int seeds = Integer.getInteger("holdfast.seeds", runs);
        double sum = 0;
        for (long seed = first; seed < first + seeds; seed++) {
            try (Simulation sim = Simulation.of(seed)) {
                sum += run.applyAsInt(work.apply(sim));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("replay with -Dholdfast.seeds=1 -Dholdfast.seed=" + seed, e);
            }
        }
        return sum / seeds;
    }

    /** All do their rounds; the network behaves after that. */
    final void work() {
        server.faults(faults -> faults.probability(0.02).maxDelay(Duration.ofMillis(800)));
        List<SimThread> threads = new ArrayList<>();
        for (Holdfast client : clients) {
            for (int t = 0; t < THREADS; t++) {
                threads.add(sim.start("t" + threads.size(), () -> rounds(client)));
            }
        }
        sim.runUntil(() -> threads.stream().allMatch(SimThread::done), Duration.ofMinutes(30));
        threads.forEach(SimThread::join);
        server.faults(faults -> faults.probability(0));
        sim.runUntil(() -> clients.stream().allMatch(c -> c.stats().unsettled() == 0), Duration.ofMinutes(1));
        sim.runFor(Duration.ofSeconds(3));
        if (doubled() > 0 && !sim.inUse().isEmpty()) {
            sim.runFor(FORGOTTEN);
        }
    }

    /** Requests that came twice: of the second copy its client knows nothing, and a place that it took has to lapse. */
    private long doubled() {
        return server.connections().stream()
                .mapToLong(connection -> connection.faults().count(Fault.DOUBLE_REQUEST))
                .sum();
    }

    private void rounds(Holdfast client) {
        for (int round = 0; round < ROUNDS; round++) {
            try {
                once(client);
            } catch (HoldfastException | LeaseLostException e) {
                sim.log(e.getClass().getSimpleName());
            } catch (InterruptedException e) {
                sim.log("interrupted");
            }
            sim.sleep(millis(30));
        }
    }

    /** Nothing may be left. */
    final void end() {
        assertThat(sim.inUse()).as("held or awaited at the store").isEmpty();
        assertThat(clients).allMatch(c -> c.stats().held() == 0 && c.stats().waiting() == 0);
        clients.forEach(Holdfast::close);
        sim.run();
        assertThat(sim.leftovers()).isEmpty();
    }

    /** Something that blocks. */
    @FunctionalInterface
    interface Blocking {

        void run() throws InterruptedException;
    }

    /** Does it while the thread is interrupted, soon; and not any more when this returns. */
    final void interruptedSoon(Blocking body) throws InterruptedException {
        Thread me = Thread.currentThread();
        SimThread interrupter = sim.start("interrupter", () -> {
            sim.sleep(millis(100));
            me.interrupt();
        });
        try {
            body.run();
        } finally {
            while (!interrupter.done()) {
                sim.letOthersRun();
                var unused = Thread.interrupted();
                sim.sleep(Duration.ofMillis(1));
            }
            var unused = Thread.interrupted();
        }
    }

    /** What the future comes to, which is cancelled in some cases. */
    final <T> Optional<T> cancelledPerhaps(CompletableFuture<Optional<T>> future) {
        Thread me = Thread.currentThread();
        var unused = future.whenComplete((got, error) -> sim.unpark(me));
        if (random(3) == 0) {
            sim.sleep(millis(50));
            future.cancel(true);
        }
        while (!future.isDone()) {
            sim.park(future, Long.MAX_VALUE);
        }
        return future.isCompletedExceptionally() ? Optional.empty() : future.join();
    }

    final long now() {
        return sim.elapsed().toNanos();
    }

    final int random(int bound) {
        return (int) Math.floorMod(sim.randomLong() >> 8, (long) bound);
    }

    final Duration millis(int bound) {
        return Duration.ofMillis(random(bound));
    }
}
