package io.holdfast.internal;

import io.holdfast.AsyncLock;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockReport;
import io.holdfast.StoreRefusedException;
import io.holdfast.internal.multi.Asked;
import io.holdfast.internal.multi.Member;
import io.holdfast.internal.multi.Place;
import io.holdfast.internal.multi.Wish;
import io.holdfast.internal.quorum.Server;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Both blocking faces of a lock name: no state of its own. */
record ClientLock(Engine engine, String name, Term term, boolean reentrant)
        implements DistributedLock, Member, Server.Source {

    /** What ends a try. */
    private interface Ending extends AutoCloseable {

        @Override
        void close();
    }

    // ---- thread face

    @Override
    public void lock() {
        lockUninterruptibly(term);
    }

    @Override
    public void lock(Duration lease) {
        lockUninterruptibly(own(lease));
    }

    private void lockUninterruptibly(Term wanted) {
        var unused = Awaiting.uninterruptibly(() -> lock(wanted, Tenure.NEVER, false));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        lock(term, Tenure.NEVER, true);
    }

    @Override
    public boolean tryLock() {
        return Awaiting.uninterruptibly(() -> lock(term, 0, false));
    }

    @Override
    public boolean tryLock(Duration wait) throws InterruptedException {
        return lock(term, Durations.nanos(wait), true);
    }

    @Override
    public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
        return lock(own(lease), Durations.nanos(wait), true);
    }

    private boolean lock(Term wanted, long wait, boolean interruptible) throws InterruptedException {
        Optional<Hold> mine = held();
        if (mine.isEmpty()) {
            return enter(wanted, wait, interruptible).isPresent();
        }
        if (interruptible && Thread.interrupted()) {
            throw new InterruptedException();
        }
        enter(mine.get(), wanted);
        return true;
    }

    /** Takes the first level, beside what the thread has of a read/write lock. */
    private Optional<Hold> enter(Term wanted, long wait, boolean interruptible) throws InterruptedException {
        refuseToWaitForMyReading(wait);
        Optional<Hold> reading =
                mode() == Mode.WRITE ? other(Mode.UPGRADE).or(() -> other(Mode.READ)) : Optional.empty();
        Term beside = beside(wanted);
        return reading.isPresent()
                ? upgrade(reading.get(), beside, wait, interruptible)
                : await(beside, wait, interruptible, null).hold();
    }

    /** Who waits to write may lose what it reads under, and others may write. The store knows of it first, and refuses. */
    private Optional<Hold> upgrade(Hold reading, Term wanted, long wait, boolean interruptible)
            throws InterruptedException {
        Optional<Hold> got;
        try {
            got = await(wanted, wait, interruptible, null).hold();
        } catch (StoreRefusedException e) {
            var unused = engine.owners.confirm(reading);
            engine.owners.requireNotLost(reading);
            throw e;
        }
        try {
            engine.owners.requireNotLost(reading);
        } catch (Throwable e) {
            got.ifPresent(engine.owners::discard);
            throw e;
        }
        return got;
    }

    private Mode mode() {
        return term.share().mode();
    }

    private Optional<Hold> held() {
        return engine.slots.holdOf(name, mode(), Thread.currentThread());
    }

    private void enter(Hold mine, Term wanted) {
        engine.owners.requireNotLost(mine);
        if (!reentrant) {
            throw Texts.notReentrant(name, Thread.currentThread(), mine);
        }
        engine.owners.reenter(mine, wanted);
    }

    private Outcome await(Term wanted, long wait, boolean interruptible, @Nullable LeaseHandle handle)
            throws InterruptedException {
        Acquisition acquisition = new Acquisition(engine, name, interruptible);
        Thread me = Thread.currentThread();
        if (wait != Tenure.NEVER) {
            return acquisition.await(wanted, wait, handle);
        }
        refuseToWaitForMyself(wanted.share(), me);
        Optional<Hold> reading = mode() == Mode.READ && wanted.share().beside().isEmpty()
                ? engine.slots.mine(name, me).findFirst()
                : Optional.empty();
        Outcome outcome = acquisition.await(wanted, reading.isPresent() ? 0 : wait, handle);
        if (outcome instanceof Outcome.Busy && reading.isPresent()) {
            // a writer waits for what this thread reads
            throw Texts.ownLease(name, me, reading.get());
        }
        return outcome;
    }

    private void refuseToWaitForMyself(Share wanted, Thread me) {
        engine.slots.inTheWay(name, wanted, me).ifPresent(hold -> {
            throw Texts.ownLease(name, me, hold);
        });
    }

    /** Who reads may not write, unless it said it might: a try asks, and only a wait without end is refused. */
    private void refuseToWaitForMyReading(long wait) {
        boolean writes = mode() == Mode.WRITE
                || (mode() == Mode.UPGRADE && other(Mode.WRITE).isEmpty());
        Optional<Hold> reading = writes ? other(Mode.READ) : Optional.empty();
        reading.ifPresent(engine.owners::requireNotLost);
        if (reading.isPresent() && wait == Tenure.NEVER) {
            throw Texts.upgrade(name, what(), Thread.currentThread(), reading.get());
        }
    }

    /** What the thread has of a read/write lock: who writes may read, and who may write reads. */
    private Term beside(Term wanted) {
        Optional<Hold> mine = switch (mode()) {
            case READ -> other(Mode.WRITE).or(() -> other(Mode.UPGRADE));
            case UPGRADE -> other(Mode.WRITE);
            case WRITE -> other(Mode.UPGRADE);
            case LOCK, PERMITS -> Optional.empty();
        };
        return mine.map(hold -> beside(wanted, hold)).orElse(wanted);
    }

    private Optional<Hold> other(Mode mode) {
        return engine.slots.holdOf(name, mode, Thread.currentThread());
    }

    private Term beside(Term wanted, Hold mine) {
        engine.owners.requireNotLost(mine);
        mine.tenure.escorted = true;
        return wanted.of(wanted.share().beside(mine.tenure.id));
    }

    private Term own(Duration lease) {
        return term.ending(Durations.requireLease("lock '" + name + "': lease", lease));
    }

    @Override
    public void unlock() {
        engine.owners.leave(mine());
    }

    private Hold mine() {
        return held().orElseThrow(this::notMine);
    }

    private RuntimeException notMine() {
        if (engine.closed) {
            return Texts.closedMeanwhile(mode(), name, engine.settings.name());
        }
        return Texts.notOwner(name, Thread.currentThread(), engine.inquiries.heldHere(name), engine.settings.name());
    }

    @Override
    @SuppressWarnings("try")
    public boolean runOnce(Duration minHold, Runnable body) {
        Objects.requireNonNull(body, "body");
        Term kept = term.keeping(Durations.requireStorable("lock '" + name + "': minHold", minHold));
        held().ifPresent(this::refuseToRun);
        Optional<Hold> got = Awaiting.uninterruptibly(() -> enter(kept, 0, false));
        got.ifPresent(hold -> {
            try (Ending ending = () -> endOrKeep(hold)) {
                body.run();
            }
        });
        return got.isPresent();
    }

    private void refuseToRun(Hold mine) {
        engine.owners.requireNotLost(mine);
        throw Texts.heldAlready(name, Thread.currentThread(), mine);
    }

    private void endOrKeep(Hold hold) {
        if (hold.ended) {
            throw notMine();
        }
        engine.owners.keep(hold);
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return held().isPresent();
    }

    @Override
    public int holdCount() {
        return held().map(Hold::depth).orElse(0);
    }

    @Override
    public boolean isValid() {
        return held().filter(engine.owners::valid).isPresent();
    }

    @Override
    public long fencingToken() {
        Hold hold = mine();
        engine.owners.requireNotLost(hold);
        return hold.token;
    }

    @Override
    public Duration remainingLease() {
        return engine.owners.remaining(mine());
    }

    // ---- anybody's

    @Override
    public Optional<LockReport.Holder> holder() {
        return engine.inquiries.inspect(name).holder();
    }

    @Override
    public boolean forceUnlock() {
        return engine.inquiries.forceRelease(name).isPresent();
    }

    // ---- lease face

    @Override
    public Lease acquire() throws InterruptedException {
        return lease(term, Tenure.NEVER, true).orElseThrow();
    }

    @Override
    public Lease acquire(Duration wait) throws InterruptedException {
        long began = engine.platform.nanoTime();
        LeaseHandle handle = new LeaseHandle(engine, name);
        Outcome outcome = await(term, Durations.nanos(wait), true, handle);
        if (outcome instanceof Outcome.Busy busy) {
            throw engine.inquiries.timeout(name, began, busy);
        }
        return handle.bind(outcome);
    }

    @Override
    public Optional<Lease> tryAcquire() {
        return Awaiting.uninterruptibly(() -> lease(term, 0, false));
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        return lease(term, Durations.nanos(wait), true);
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait, Duration lease) throws InterruptedException {
        return lease(own(lease), Durations.nanos(wait), true);
    }

    private Optional<Lease> lease(Term wanted, long wait, boolean interruptible) throws InterruptedException {
        LeaseHandle handle = new LeaseHandle(engine, name);
        Outcome outcome = await(wanted, wait, interruptible, handle);
        return outcome.hold().map(got -> handle.bind(outcome));
    }

    @Override
    public AsyncLock async() {
        return new ClientAsyncLock(engine, name, term, engine.threads.callbacks());
    }

    // ---- as a member of a multi-lock

    @Override
    public Place place() {
        return new Place(engine.settings.store().keyPrefix() + name, engine.store.describe());
    }

    @Override
    public Platform platform() {
        return engine.platform;
    }

    @Override
    public boolean goesWith(Member next) {
        return next instanceof ClientLock other
                && other.engine == engine
                && other.term.safety().equals(term.safety())
                && goesWithOthers()
                && other.goesWithOthers()
                && engine.store
                        .together()
                        .filter(store -> store.together(name, other.name))
                        .isPresent();
    }

    /** What is not here at all can be had by asking only, and at once or not at all. */
    private boolean goesWithOthers() {
        return mode() == Mode.LOCK
                && term.way() != Term.Way.FAIR
                && engine.slots.of(name).allMatch(slot -> slot.share.mode() == Mode.PERMITS);
    }

    @Override
    public Asked askTogether(List<Member> neighbours, Wish wish) {
        if (neighbours.size() == 1) {
            return Awaiting.uninterruptibly(() -> Asked.alone(askAlone(wish)));
        }
        List<LeaseHandle> handles = wish.leased() ? handles(neighbours) : List.of();
        return new Bundle(engine, locks(neighbours), wish, Thread.currentThread(), handles).await(handles);
    }

    private Optional<List<Lease>> askAlone(Wish wish) throws InterruptedException {
        if (wish.leased()) {
            return lease(wanted(wish), 0, false).map(List::of);
        }
        return lock(wanted(wish), 0, false) ? Optional.of(List.of()) : Optional.empty();
    }

    @Override
    public CompletableFuture<Asked> askingTogether(List<Member> neighbours, Wish wish) {
        List<LeaseHandle> handles = handles(neighbours);
        return new Bundle(engine, locks(neighbours), wish, null, handles).start(handles);
    }

    Term wanted(Wish wish) {
        return wish.lease().map(this::own).orElse(term);
    }

    private static List<ClientLock> locks(List<Member> neighbours) {
        return neighbours.stream().map(ClientLock.class::cast).toList();
    }

    private List<LeaseHandle> handles(List<Member> neighbours) {
        return locks(neighbours).stream()
                .map(lock -> new LeaseHandle(engine, lock.name))
                .toList();
    }

    private String what() {
        return switch (mode()) {
            case READ -> "read lock";
            case WRITE -> "write lock";
            case UPGRADE -> "upgradeable read lock";
            case LOCK, PERMITS -> "lock";
        };
    }

    @Override
    public Server server() {
        return new EngineServer(engine, name, term.unlimited(), new EngineSurroundings(engine));
    }

    @Override
    public String toString() {
        return what() + " '" + name + "' of " + engine.settings.name() + ", here " + engine.inquiries.heldHere(name);
    }
}
