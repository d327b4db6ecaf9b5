package io.holdfast.benchmarks;

import static io.holdfast.benchmarks.subject.SubjectKind.CURATOR;
import static io.holdfast.benchmarks.subject.SubjectKind.FLOOR;
import static io.holdfast.benchmarks.subject.SubjectKind.HOLDFAST;
import static io.holdfast.benchmarks.subject.SubjectKind.JDK;
import static io.holdfast.benchmarks.subject.SubjectKind.JDK_FAIR;
import static io.holdfast.benchmarks.subject.SubjectKind.JETCD;
import static io.holdfast.benchmarks.subject.SubjectKind.NO_OP;
import static io.holdfast.benchmarks.subject.SubjectKind.REDISSON;
import static io.holdfast.benchmarks.subject.SubjectKind.SHEDLOCK;
import static io.holdfast.benchmarks.subject.SubjectKind.SPRING;

import io.holdfast.benchmarks.subject.ServerKind;
import io.holdfast.benchmarks.subject.SubjectKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The cells to measure. */
final class Plan {

    private static final int MANY = 32;
    private static final int A_FEW = 8;
    private static final int MANY_PROCESSES = 16;

    // above this size, starting or acquiring takes Redisson minutes
    private static final int MOST_NAMES_OF_THE_PEER = 10_000;

    // these cases use one thread, whatever is requested
    private static final Set<String> ALONE = Set.of("wake", "wake-fair", "setup");

    private Plan() {}

    /** Returns the cells of the full run, which show cost and scaling. */
    static List<Cell> full() {
        List<Cell> cells = new ArrayList<>();
        Cell distinct = Cell.of("distinct", 1, HOLDFAST, REDISSON, FLOOR, NO_OP);
        for (int threads : new int[] {1, 8, MANY, 128}) {
            Cell cell = distinct.withThreads(threads);
            cells.add(threads == MANY ? cell : cell.without(NO_OP));
        }
        cells.add(Cell.of("cached", MANY, HOLDFAST, REDISSON, FLOOR));
        cells.add(Cell.of("same", MANY, HOLDFAST, REDISSON, JDK_FAIR, JDK, NO_OP));
        for (int processes = 2; processes <= 16; processes *= 2) {
            cells.add(Cell.of("processes", A_FEW, HOLDFAST, REDISSON).withProcesses(processes));
        }
        cells.add(Cell.of("fair", MANY, HOLDFAST, REDISSON, JDK_FAIR));
        cells.add(Cell.of("fair", A_FEW, HOLDFAST, REDISSON).withProcesses(2));
        cells.add(Cell.of("read", MANY, HOLDFAST, REDISSON, JDK));
        cells.add(Cell.of("read-write", MANY, HOLDFAST, REDISSON, JDK));
        cells.add(Cell.of("reentrant", 1, HOLDFAST, REDISSON, JDK));
        cells.add(Cell.of("wake", 1, HOLDFAST, REDISSON, FLOOR));
        cells.add(Cell.of("semaphore", MANY, HOLDFAST, REDISSON));
        cells.add(Cell.of("segmented", MANY, HOLDFAST, REDISSON).withProcesses(2));
        for (int names : new int[] {3, 16}) {
            cells.add(Cell.of("multi", 1, HOLDFAST, REDISSON, FLOOR).withSize(names));
        }
        cells.addAll(quorum());
        cells.add(Cell.of("async", 1, HOLDFAST, REDISSON, FLOOR).withSize(10_000));
        cells.add(Cell.of("setup", 1, HOLDFAST, REDISSON, FLOOR));
        for (int locks = 10; locks <= 100_000; locks *= 10) {
            cells.add(Cell.of("hold", 1, HOLDFAST, REDISSON).withSize(locks));
        }
        for (int waiters = 10; waiters <= 10_000; waiters *= 10) {
            cells.add(waiters(waiters));
        }
        for (int waiters : new int[] {100, 10_000}) {
            cells.add(waiters(waiters).withProcesses(2));
        }
        for (int names = 1; names <= 1_000_000; names *= names == 1 ? 1_000 : 10) {
            Cell cell = Cell.of("names", 1, HOLDFAST, REDISSON).withSize(names).doneOnce();
            cells.add(names > MOST_NAMES_OF_THE_PEER ? cell.without(REDISSON) : cell);
        }
        return cells;
    }

    /** Returns the cells of quorum locks: all servers are up, or a minority is away. */
    private static List<Cell> quorum() {
        List<Cell> cells = new ArrayList<>();
        for (int servers : new int[] {3, 5, 9}) {
            Cell cell = Cell.of("quorum", 1, HOLDFAST, REDISSON).withSize(servers);
            cells.add(cell);
            cells.add(cell.withThreads(2));
            cells.add(cell.withThreads(A_FEW));
            for (String away : List.of("quorum-killed", "quorum-frozen")) {
                cells.add(Cell.of(away, A_FEW, HOLDFAST).withSize(servers));
            }
        }
        return cells;
    }

    /** Returns the cells of a server. */
    static List<Cell> of(ServerKind server, boolean quick) {
        return switch (server) {
            case REDIS -> quick ? quick() : full();
            case DATABASE ->
                ofOtherServer(
                        Cell.of("distinct", 1, HOLDFAST, SHEDLOCK, SPRING, FLOOR),
                        Cell.of("processes", A_FEW, HOLDFAST, SHEDLOCK, SPRING),
                        Cell.of("fair", A_FEW, HOLDFAST),
                        Cell.of("wake", 1, HOLDFAST, SPRING));
            case MONGODB ->
                ofOtherServer(
                        Cell.of("distinct", 1, HOLDFAST, SHEDLOCK, FLOOR),
                        Cell.of("processes", A_FEW, HOLDFAST, SHEDLOCK),
                        Cell.of("fair", A_FEW, HOLDFAST),
                        Cell.of("wake", 1, HOLDFAST, SHEDLOCK));
            case ZOOKEEPER -> ofConsensus(CURATOR, Cell.of("read-write", A_FEW, HOLDFAST, CURATOR));
            case ETCD -> ofConsensus(JETCD);
        };
    }

    /** Returns the cells of a server whose peer is fair. */
    private static List<Cell> ofConsensus(SubjectKind peer, Cell... others) {
        Cell fair = Cell.of("fair", A_FEW, HOLDFAST, peer);
        List<Cell> cells = new ArrayList<>(ofOtherServer(
                Cell.of("distinct", 1, HOLDFAST, peer, FLOOR),
                Cell.of("processes", A_FEW, HOLDFAST, peer),
                fair,
                Cell.of("wake", 1, HOLDFAST, peer, FLOOR)));
        cells.add(Cell.of("wake-fair", 1, HOLDFAST, peer));
        cells.add(fair.withThreads(1).withProcesses(MANY_PROCESSES));
        cells.addAll(List.of(others));
        return cells;
    }

    private static List<Cell> ofOtherServer(Cell distinct, Cell processes, Cell fair, Cell wake) {
        return List.of(
                distinct,
                distinct.withThreads(A_FEW),
                processes.withProcesses(2),
                fair.withProcesses(2),
                wake,
                Cell.of("hold", 1, HOLDFAST).withSize(1_000),
                Cell.of("waiters", 1, HOLDFAST).withSize(1_000).withProcesses(2).doneOnce());
    }

    private static Cell waiters(int number) {
        return Cell.of("waiters", 1, HOLDFAST, REDISSON).withSize(number).doneOnce();
    }

    /** Returns one small cell of each case. */
    static List<Cell> quick() {
        return List.of(
                Cell.of("distinct", MANY, HOLDFAST, REDISSON, FLOOR, NO_OP),
                Cell.of("cached", MANY, HOLDFAST, REDISSON),
                Cell.of("same", MANY, HOLDFAST, REDISSON),
                Cell.of("processes", A_FEW, HOLDFAST, REDISSON).withProcesses(2),
                Cell.of("fair", MANY, HOLDFAST, REDISSON),
                Cell.of("read", MANY, HOLDFAST, REDISSON),
                Cell.of("read-write", MANY, HOLDFAST, REDISSON),
                Cell.of("reentrant", 1, HOLDFAST, REDISSON),
                Cell.of("wake", 1, HOLDFAST, REDISSON, FLOOR),
                Cell.of("semaphore", MANY, HOLDFAST, REDISSON),
                Cell.of("segmented", MANY, HOLDFAST, REDISSON),
                Cell.of("multi", 1, HOLDFAST, REDISSON, FLOOR).withSize(3),
                Cell.of("quorum", 2, HOLDFAST, REDISSON).withSize(3),
                Cell.of("quorum-killed", 2, HOLDFAST).withSize(3),
                Cell.of("async", 1, HOLDFAST, REDISSON).withSize(1_000),
                Cell.of("setup", 1, HOLDFAST, REDISSON),
                Cell.of("hold", 1, HOLDFAST, REDISSON).withSize(1_000),
                waiters(100),
                Cell.of("names", 1, HOLDFAST, REDISSON).withSize(1_000).doneOnce());
    }

    /** Returns the names of all cases. */
    static Set<String> cases() {
        Set<String> names = new LinkedHashSet<>();
        for (ServerKind server : ServerKind.values()) {
            of(server, false).forEach(cell -> names.add(cell.name()));
        }
        return names;
    }

    /** Returns the cells of the given cases, with the given numbers of threads if there are any. */
    static List<Cell> chosen(List<Cell> cells, Set<String> cases, List<Integer> threads) {
        Map<String, Cell> chosen = new LinkedHashMap<>();
        for (Cell cell : cells) {
            if (!cases.isEmpty() && !cases.contains(cell.name())) {
                continue;
            }
            List<Cell> sizes = threads.isEmpty() || cell.size() > 0 || ALONE.contains(cell.name())
                    ? List.of(cell)
                    : threads.stream().map(cell::withThreads).toList();
            sizes.forEach(each -> chosen.merge(each.toString(), each, Plan::withMoreSubjects));
        }
        return List.copyOf(chosen.values());
    }

    private static Cell withMoreSubjects(Cell one, Cell other) {
        return other.subjects().size() > one.subjects().size() ? other : one;
    }
}
