package io.holdfast.recipes;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockReport;
import io.holdfast.internal.access.ClientAccess;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.LockAccess;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** An election, which is a lock: its holder is the leader. */
record ClientLeaderElection(ClientAccess access, DistributedLock lock) implements LeaderElection {

    /** Returns the election of the given name. */
    static LeaderElection of(Holdfast client, String name, LockOptions options) {
        Durations.requireNoLinger("election " + quoted(name), options.linger());
        DistributedLock lock = client.lock(name, options);
        return new ClientLeaderElection(LockAccess.of("an election", lock).access(), lock);
    }

    @Override
    public String name() {
        return lock.name();
    }

    @Override
    public Leadership campaign() throws InterruptedException {
        return lead(lock.acquire());
    }

    @Override
    public Leadership campaign(Duration wait) throws InterruptedException {
        return lead(lock.acquire(wait));
    }

    @Override
    public Optional<Leadership> tryCampaign() {
        return lock.tryAcquire().map(this::lead);
    }

    @Override
    public Optional<Leadership> tryCampaign(Duration wait) throws InterruptedException {
        return lock.tryAcquire(wait).map(this::lead);
    }

    Leadership lead(Lease lease) {
        return new LeaseLeadership(access, lease);
    }

    @Override
    public AsyncLeaderElection async() {
        return new ClientAsyncLeaderElection(this);
    }

    @Override
    public Optional<LockReport.Holder> leader() {
        return lock.holder();
    }

    @Override
    public Watch watch(Duration period, Consumer<Optional<LockReport.Holder>> action) {
        Duration checked = Durations.requireStorable("election " + quoted(name()) + ": the period of a watch", period);
        return new LeaderWatch(access, name(), checked, action).start();
    }

    @Override
    public String toString() {
        return "election by " + lock;
    }
}
