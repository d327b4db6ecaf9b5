package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.recipes.QuorumLock;
import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.check.LeakChecker;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Faults;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Five servers and three processes, each with a client of every server. */
abstract class FiveServers extends VirtualTime {

    static final int SERVERS = 5;
    static final Duration SECOND = Duration.ofSeconds(1);

    /** For how long one server is waited for. */
    static final Duration BUDGET = Duration.ofSeconds(2);

    @RegisterExtension
    final LeakChecker leaks = new LeakChecker().simulation(sim);

    final List<SimulatedServer> five = IntStream.range(0, SERVERS)
            .mapToObj(number -> sim.server("q" + number))
            .toList();

    final List<Holdfast> ofA = process("a");
    final List<Holdfast> ofB = process("b");
    final List<Holdfast> ofC = process("c");

    final QuorumLock lockA = QuorumLock.of(ofA, "n");
    final QuorumLock lockB = QuorumLock.of(ofB, "n");
    final QuorumLock lockC = QuorumLock.of(ofC, "n");

    private List<Holdfast> process(String name) {
        return IntStream.range(0, SERVERS)
                .mapToObj(number -> client(name + number, options -> options.uri("simulated:q" + number)))
                .toList();
    }

    @AfterEach
    void nothingIsLeft() {
        for (int server = 0; server < SERVERS; server++) {
            heal(server);
        }
        assertNothingIsLeft();
    }

    final Faults faults(List<Holdfast> process, int server) {
        return five.get(server).connection(process.get(server).clientId()).faults();
    }

    /** The server answers nobody any more. */
    final void hang(int server) {
        five.get(server).faults(faults -> faults.probability(Fault.DROP_REQUEST, 1));
    }

    /** The server refuses all connections. */
    final void kill(int server) {
        five.get(server).faults(faults -> faults.outage(true));
    }

    /** The process reaches only these. */
    final void reachable(List<Holdfast> process, Integer... servers) {
        for (int server = 0; server < SERVERS; server++) {
            faults(process, server).outage(!List.of(servers).contains(server));
        }
    }

    final void heal(int server) {
        five.get(server)
                .faults(faults -> faults.probability(Fault.DROP_REQUEST, 0).outage(false));
    }

    /** How many servers keep the name for somebody. */
    final long keptAt() {
        return five.stream().filter(server -> !server.inUse().isEmpty()).count();
    }

    final void assertFree() {
        assertThat(keptAt()).as("servers that keep the lock").isZero();
    }

    final void forceAt(int server) {
        assertThat(ofC.get(server).lock("n").forceUnlock()).isTrue();
        sim.runReady();
    }
}
