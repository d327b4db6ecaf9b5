package io.holdfast.benchmarks.work;

import io.holdfast.benchmarks.subject.Subject;
import io.holdfast.benchmarks.subject.Subject.Permits;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Creates the workload of each case. */
final class Workloads {

    private static final int PERMITS = 8;
    private static final int SEGMENTS = 8;
    private static final int ONE_WRITE_IN = 20;
    private static final long SHORT_WORK = TimeUnit.MILLISECONDS.toNanos(1);

    private final Job job;
    private final Board board;
    private final Referee referee;
    private final String name;

    private Workloads(Job job, Board board) {
        this.job = job;
        this.board = board;
        this.referee = new Referee(board);
        this.name = job.named("one");
    }

    static Workload of(Job job) throws IOException {
        return new Workloads(job, Board.open(job.board())).create();
    }

    private Workload create() {
        return switch (job.name()) {
            case "distinct" -> distinct(Subject::lock);
            case "cached" -> distinct(Subject::cached);
            case "same", "processes" -> excluding(job.open(), false);
            case "fair" -> excluding(job.open(), true);
            case "read" -> reading(0);
            case "read-write" -> reading(ONE_WRITE_IN);
            case "reentrant" -> reentrant();
            case "semaphore" -> semaphore();
            case "segmented" -> segmented();
            case "multi" -> multi();
            case "wake" -> new Wake(job, referee, Subject::waking);
            case "wake-fair" -> new Wake(job, referee, Subject::fairLock);
            case "quorum", "quorum-killed", "quorum-frozen" -> quorum();
            case "hold" -> new Hold(job);
            case "waiters" -> new Waiters(job, job.open(), board, referee);
            case "async" -> new Async(job);
            case "setup" -> new Setup(job);
            case "names" -> new Names(job);
            default -> throw new IllegalArgumentException("no case " + job.name());
        };
    }

    private Workload distinct(BiFunction<Subject, String, Lock> kind) {
        Subject subject = job.open();
        return turns(subject, thread -> {
            Lock lock = kind.apply(subject, job.named("distinct-" + job.process() + "-" + thread));
            return () -> Pair.run(lock);
        });
    }

    private Workload excluding(Subject subject, boolean fair) {
        Lock lock = fair ? subject.fairLock(name) : subject.lock(name);
        return turns(subject, thread -> () -> Pair.run(lock, referee::alone));
    }

    private Workload reading(int oneWriteIn) {
        Subject subject = job.open();
        ReadWriteLock lock = subject.readWriteLock(name);
        return turns(subject, thread -> {
            int[] count = {thread};
            return () -> {
                if (oneWriteIn > 0 && count[0]++ % oneWriteIn == 0) {
                    Pair.run(lock.writeLock(), referee::alone);
                } else {
                    Pair.run(lock.readLock(), referee::reading);
                }
            };
        });
    }

    /** Each thread enters a lock that it holds. */
    private Workload reentrant() {
        Subject subject = job.open();
        return turns(subject, thread -> {
            Lock lock = subject.lock(job.named("reentrant-" + thread));
            return new Operation() {
                @Override
                public void begin() {
                    lock.lock();
                }

                @Override
                public void run() {
                    Pair.run(lock);
                }

                @Override
                public void end() {
                    lock.unlock();
                }
            };
        });
    }

    private Workload semaphore() {
        Subject subject = job.open();
        Permits permits = subject.semaphore(name, PERMITS);
        return turns(subject, thread -> () -> {
            Runnable release = permits.acquire();
            referee.among(PERMITS, Referee.NOTHING);
            release.run();
        });
    }

    /** One millisecond of work in any segment. */
    private Workload segmented() {
        Subject subject = job.open();
        Permits lock = subject.segmented(name, SEGMENTS);
        return turns(subject, thread -> () -> {
            Runnable release = lock.acquire();
            referee.among(SEGMENTS, () -> LockSupport.parkNanos(SHORT_WORK));
            release.run();
        });
    }

    /** Each thread has locks of its own, and acquires them together. */
    private Workload multi() {
        Subject subject = job.open();
        return turns(subject, thread -> {
            Lock lock = subject.multi(IntStream.range(0, job.size())
                    .mapToObj(i -> job.named("multi-" + job.process() + "-" + thread + "-" + i))
                    .toList());
            return () -> Pair.run(lock);
        });
    }

    /** Each thread has clients of its own, and all of them compete for one lock. */
    private Workload quorum() {
        List<Subject> subjects =
                IntStream.range(0, job.threads()).mapToObj(thread -> job.open()).toList();
        return new Turns(() -> subjects.forEach(Subject::close), job.threads(), referee, thread -> {
            Lock lock = subjects.get(thread).lock(name);
            return () -> Pair.run(lock, referee::alone);
        });
    }

    private Workload turns(Subject subject, IntFunction<Operation> operation) {
        return new Turns(subject::close, job.threads(), referee, operation);
    }
}
