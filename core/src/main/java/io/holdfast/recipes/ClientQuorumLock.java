package io.holdfast.recipes;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.LockAccess;
import io.holdfast.internal.access.MemberSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A quorum lock. A thread that holds the lock has a lease and a number of levels, which all objects of the same name and clients
 * share.
 */
final class ClientQuorumLock extends ClientCompositeLock<QuorumLease> implements QuorumLock {

    private static final int MIN_SERVERS = 3;
    private static final int MAX_SERVERS = 9;

    /**
     * The lease and the levels of the current thread. Only the thread refers to it, so it is collected after the thread has
     * died.
     */
    private static final class Held {

        final ClientQuorumLease lease;
        int depth = 1;

        Held(ClientQuorumLease lease) {
            this.lease = lease;
        }
    }

    /** A quorum lock, whichever object stands for it. */
    private record Key(String name, Set<Holdfast> clients) {}

    /** The holds of the current thread; null if it has none. */
    private static final ThreadLocal<@Nullable Map<Key, Held>> HELD = new ThreadLocal<>();

    private final Key key;
    private final QuorumServers servers;
    private final List<DistributedLock> members;
    private final boolean reentrant;

    private ClientQuorumLock(Key key, QuorumServers servers, List<DistributedLock> members, boolean reentrant) {
        this.key = key;
        this.servers = servers;
        this.members = members;
        this.reentrant = reentrant;
    }

    /** Checks the clients, and returns a quorum lock over them. */
    static QuorumLock of(List<Holdfast> clients, String name, QuorumOptions options) {
        int count = clients.size();
        if (count < MIN_SERVERS || count > MAX_SERVERS || count % 2 == 0) {
            throw new IllegalArgumentException("quorum lock " + quoted(name) + " of " + count
                    + " servers: pass 3, 5, 7 or 9. An even number tolerates no more failures than one less, and more than"
                    + " 9 cost more than they add");
        }
        List<DistributedLock> members = clients.stream()
                .map(client -> client.lock(name, options.lock()))
                .toList();
        List<LockAccess> all = members.stream()
                .map(member -> LockAccess.of("a quorum lock", member))
                .toList();
        Set<String> addresses = new HashSet<>();
        for (LockAccess server : all) {
            requireDistinct(name, addresses, server);
            server.requireLease("quorum lock " + quoted(name) + ": lease", server.lease());
            options.budget().ifPresent(budget -> requireBudget(name, server, budget));
        }
        return new ClientQuorumLock(
                new Key(name, Set.copyOf(clients)),
                new QuorumServers(name, all, options.budget()),
                members,
                options.lock().reentrant());
    }

    private static void requireDistinct(String name, Set<String> addresses, LockAccess server) {
        if (!addresses.add(server.address())) {
            throw new IllegalArgumentException(
                    "quorum lock " + quoted(name) + ": " + server.address()
                            + " is given twice, and would have two votes but fail as one: pass each server once, by one client");
        }
    }

    private static void requireBudget(String name, LockAccess server, Duration budget) {
        if (budget.compareTo(server.lease()) >= 0) {
            throw new IllegalArgumentException("quorum lock " + quoted(name) + ": budget " + budget
                    + " is not below the lease, " + server.lease()
                    + ": a hold would end before the last server answers."
                    + " Pass a small part of the lease");
        }
    }

    @Override
    public String name() {
        return servers.name();
    }

    @Override
    public List<DistributedLock> members() {
        return members;
    }

    @Override
    public int majority() {
        return servers.majority();
    }

    // ---- waiting

    @Override
    MemberSpec lasting(MemberSpec spec, Duration lease) {
        MemberSpec lasting = super.lasting(spec, lease);
        servers.all().forEach(server -> server.requireLease(this + ": lease", lease));
        return lasting;
    }

    private Optional<ClientQuorumLease> acquire(MemberSpec spec, long wait) throws InterruptedException {
        return acquire(new QuorumRequest(servers, spec, wait), spec.interruptible())
                .map(hold -> new ClientQuorumLease(servers, hold));
    }

    private Optional<QuorumHold> acquire(QuorumRequest request, boolean interruptible) throws InterruptedException {
        refuseInterrupted(interruptible);
        Optional<QuorumHold> hold;
        try {
            hold = outcome(request, interruptible);
        } catch (Error e) {
            // orphan: after an OutOfMemoryError or StackOverflowError, the request could still be granted
            request.abort();
            throw e;
        }
        return hold.isPresent() && !hold.get().isValid() ? acquireAgain(request, hold.get(), interruptible) : hold;
    }

    private Optional<QuorumHold> outcome(QuorumRequest request, boolean interruptible) throws InterruptedException {
        CompletableFuture<Optional<QuorumHold>> outcome = request.start();
        if (!interruptible) {
            Awaiting.done(servers.platform(), outcome, Durations.NEVER);
        } else if (!Awaiting.doneUnlessInterrupted(servers.platform(), outcome)) {
            Awaiting.done(servers.platform(), request.withdraw(), Durations.NEVER);
            if (outcome.isCancelled()) {
                throw new InterruptedException();
            }
            Thread.currentThread().interrupt();
        }
        return result(outcome);
    }

    private Optional<QuorumHold> acquireAgain(QuorumRequest request, QuorumHold expired, boolean interruptible)
            throws InterruptedException {
        CompletableFuture<QuorumRequest> next = request.retryAfter(expired);
        Awaiting.done(servers.platform(), next, Durations.NEVER);
        return acquire(result(next), interruptible);
    }

    private static void refuseInterrupted(boolean interruptible) throws InterruptedException {
        if (interruptible && Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Returns the result, or throws the failure with the stack trace of the current thread. */
    private static <T> T result(CompletableFuture<T> outcome) {
        try {
            return outcome.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause && !(cause instanceof CancellationException)) {
                cause.fillInStackTrace();
                throw cause;
            }
            throw e;
        }
    }

    @Override
    Optional<QuorumLease> lease(MemberSpec spec, long wait) throws InterruptedException {
        return acquire(spec, wait).map(lease -> lease);
    }

    // ---- futures

    @Override
    <T> CompletableFuture<T> start(MemberSpec spec, long wait, Function<Optional<QuorumLease>, T> result) {
        Relay<T> relay = new Relay<>();
        track(relay, new QuorumRequest(servers, spec, wait), result);
        return relay.future();
    }

    private <T> void track(Relay<T> relay, QuorumRequest request, Function<Optional<QuorumLease>, T> result) {
        relay.track(
                request.start(),
                request::withdraw,
                hold -> guarded(
                        relay,
                        hold,
                        () -> servers.clients()
                                .deliver(
                                        request.lease(),
                                        hold.map(undelivered -> undelivered::release),
                                        inTime -> guarded(
                                                relay, hold, () -> answered(relay, request, result, hold, inTime)))),
                error -> fail(relay, error));
    }

    /** Runs a step that delivers an answer. If the step throws, the hold is released, and the future fails. */
    private <T> void guarded(Relay<T> relay, Optional<QuorumHold> hold, Runnable step) {
        Relay.guarded(step, error -> {
            var unused = hold.map(QuorumHold::release);
            fail(relay, error);
        });
    }

    private <T> void fail(Relay<T> relay, Throwable error) {
        servers.clients().callBack("the answer", () -> relay.fail(Awaiting.cause(error)));
    }

    private <T> void answered(
            Relay<T> relay,
            QuorumRequest request,
            Function<Optional<QuorumLease>, T> result,
            Optional<QuorumHold> hold,
            boolean inTime) {
        if (hold.isEmpty()) {
            relay.complete(result.apply(Optional.empty()));
        } else if (inTime && (hold.get().isValid() || relay.isDone())) {
            ClientQuorumLease lease = new ClientQuorumLease(servers, hold.get());
            relay.deliver(lease, () -> result.apply(Optional.of(lease)));
        } else if (!relay.isDone()) {
            relay.track(
                    request.retryAfter(hold.get()), next -> track(relay, next, result), error -> fail(relay, error));
        }
    }

    // ---- thread API

    @Override
    boolean enter(MemberSpec spec, long wait) throws InterruptedException {
        Held held = held();
        if (held == null) {
            Optional<ClientQuorumLease> lease = acquire(spec, wait);
            lease.ifPresent(acquired -> remember(new Held(acquired)));
            return lease.isPresent();
        }
        refuseInterrupted(spec.interruptible());
        held.lease.requireNotLost();
        if (!reentrant) {
            throw QuorumTexts.notReentrant(servers, Thread.currentThread());
        }
        held.lease.enter(spec.lease());
        held.depth++;
        return true;
    }

    @Override
    public void unlock() {
        Held held = requireHeld();
        if (--held.depth == 0) {
            forget();
            held.lease.close();
        } else {
            held.lease.requireNotLost();
        }
    }

    /** Returns the hold of the current thread. */
    private @Nullable Held held() {
        Map<Key, Held> all = HELD.get();
        return all == null ? null : all.get(key);
    }

    private void remember(Held held) {
        Map<Key, Held> all = Objects.requireNonNullElseGet(HELD.get(), HashMap::new);
        all.put(key, held);
        HELD.set(all);
    }

    /** Forgets the hold of the current thread. A thread without holds keeps nothing of this class. */
    private void forget() {
        Map<Key, Held> all = Objects.requireNonNull(HELD.get());
        all.remove(key);
        if (all.isEmpty()) {
            HELD.remove();
        }
    }

    private Held requireHeld() {
        Held held = held();
        if (held == null) {
            throw QuorumTexts.notHeld(servers, Thread.currentThread());
        }
        return held;
    }

    @Override
    public int holdCount() {
        Held held = held();
        return held == null ? 0 : held.depth;
    }

    @Override
    public boolean isValid() {
        Held held = held();
        return held != null && held.lease.isValid();
    }

    @Override
    public int heldAt() {
        Held held = held();
        return held == null ? 0 : held.lease.heldAt();
    }

    @Override
    public long fencingToken() {
        ClientQuorumLease lease = requireHeld().lease;
        lease.requireNotLost();
        return lease.fencingToken();
    }

    @Override
    public Duration remainingLease() {
        return requireHeld().lease.remainingLease();
    }

    @Override
    public String toString() {
        return servers.toString();
    }
}
