package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.LeaseLostException;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.LeaseAccess;
import io.holdfast.internal.access.LockAccess;
import io.holdfast.spi.Platform;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of one owner to hold a majority of the servers, and the hold that results from it, until its end.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The hold begins only when a majority has granted the lock, and has confirmed that its later tokens will be above the
 *       token of the hold.
 *   <li>When the hold begins, no server has granted it a token above its own. Any two majorities share a server. So every later
 *       holder has a token from a server that knew of this hold.
 *   <li>The hold is valid as long as its holds at a majority are valid. A server joins the hold only while a majority of the
 *       others is valid.
 *   <li>An attempt that can no longer reach a majority, and a hold that has lost it, release everything that they acquired.
 *       Otherwise the servers that they keep would not serve the others, who then could not do without a further server.
 * </ol>
 *
 * <p><strong>Acquiring.</strong> The hold requests the lock from all servers at once. When a majority has granted it, the token of
 * the hold becomes a little more than the highest of their tokens. Each of these servers is asked to issue later tokens only
 * above it. The hold begins when a majority has confirmed that. Before that, a server may grant a higher token, because its
 * clock is ahead, or another owner has held its lock in between. Then the token rises again, and all servers confirm again.
 * Without the room above the highest token, each later answer would cause that. A server that
 * answers later takes the same steps. So does a server that did not answer, which is asked again every third of a lease.
 *
 * <p><strong>Split votes.</strong> If a server has refused the lock, another owner has some of the votes, and may need those that
 * this attempt has. So a minority that stays silent is given up {@value #LATE_ROUND_TRIPS} times as long after the start as the
 * last answer took. The next attempts wait longer, so that a server that is only slower than the others gets its time. An
 * attempt that will give way does not wait longer.
 *
 * <p><strong>Turns.</strong> An attempt that has waited for its turn begins with the grant of that server, and asks a server that
 * refuses it again. An attempt without the turn that has a majority gives way if the first server that answers has refused it.
 *
 * <p><strong>Validity.</strong> Like any lock, a hold at one server is valid without a break from its grant until it is lost
 * for good. When a server joins, a majority of the others is valid, so none of them was missing since the previous server
 * joined. Without invariant 3, a majority could be lost, another owner could hold the lock, and the first hold could silently
 * become valid again (ABA).
 *
 * <p><strong>Threads.</strong> Events run one at a time ({@link Serial}). Timers refer to this object weakly. A hold that its
 * owner no longer refers to is collected together with its leases. The engines of the leases detect that.
 *
 * <p>See D. K. Gifford, "Weighted Voting for Replicated Data", SOSP 1979, for quorums that intersect.
 */
final class QuorumHold {

    /** The number of ticks per lease. */
    private static final int TICKS = 3;

    /** The tokens of a quarter of a millisecond: about as much later the other servers grant the lock. */
    private static final long ROOM = 1 << 18;

    /** The number of round trips that a server may take longer than the others. */
    private static final int LATE_ROUND_TRIPS = 4;

    private static final Duration SHORT_PATIENCE = Duration.ofMillis(1);

    /** The phase of the hold. */
    private enum Phase {
        ACQUIRING,
        HELD,
        LOST,
        ENDED
    }

    private final QuorumServers servers;
    private final Optional<Duration> fixedLease;
    private final @Nullable Thread owner;
    private final long startNanos;
    private final long answerDeadline;
    private final Duration patience;
    private final boolean hasTurn;
    private final boolean yields;
    private final List<QuorumMember> members;
    private final Serial events;
    private final FixedLease lease;
    private final CompletableFuture<Boolean> acquired = new CompletableFuture<>();
    private final List<Consumer<LeaseLostException>> lossActions = new ArrayList<>();

    private volatile Phase phase = Phase.ACQUIRING;
    private volatile List<LeaseAccess> memberLeases = List.of();
    private volatile long token;
    private volatile @Nullable LeaseLostException loss;
    private boolean lostByClose;

    /** The releases after a loss. */
    private List<CompletableFuture<Boolean>> rest = List.of();

    private volatile @Nullable RuntimeException failure;
    private Platform.Task ticker = () -> {};
    private Platform.Task silenceTimer = () -> {};

    /** The gate of an attempt that failed. */
    private volatile @Nullable LockAccess gate;

    private volatile boolean yielded;

    /**
     * Creates an attempt, which {@link #start} starts.
     *
     * @param fixedLease the lease of a hold that is not renewed; empty to renew the hold
     * @param owner the thread that holds the lock; null if a lease holds it
     * @param timeout the maximum time to wait for servers that do not answer
     * @param patience the minimum time to wait for a silent minority after the last answer, when a server has refused the lock
     */
    QuorumHold(
            QuorumServers servers,
            Optional<Duration> fixedLease,
            @Nullable Thread owner,
            Duration timeout,
            Duration patience,
            Optional<Turn> turn,
            boolean yields) {
        this.servers = servers;
        this.fixedLease = fixedLease;
        lease = new FixedLease(servers);
        this.owner = owner;
        this.patience = patience;
        this.yields = yields;
        hasTurn = turn.isPresent();
        startNanos = servers.platform().nanoTime();
        answerDeadline = startNanos + timeout.toNanos();
        events = new Serial(this::eventFailed);
        members = servers.all().stream()
                .map(server -> new QuorumMember(server, this, servers.budget(server, fixedLease)))
                .toList();
        turn.ifPresent(won -> members.stream()
                .filter(member -> member.server.equals(won.gate()))
                .forEach(member -> member.adopt(won.lease())));
    }

    /** The lock at one server, which its owner waited for before it asks the other servers. */
    record Turn(LockAccess gate, LeaseAccess lease) {}

    boolean hasTurn() {
        return hasTurn;
    }

    boolean isAcquiring() {
        return phase == Phase.ACQUIRING;
    }

    String name() {
        return servers.name();
    }

    long token() {
        return token;
    }

    Optional<Duration> fixedLease() {
        return fixedLease;
    }

    FixedLease lease() {
        return lease;
    }

    /** Returns the leases of the confirmed members; some of them may be lost. */
    List<LeaseAccess> memberLeases() {
        return memberLeases;
    }

    void event(Runnable event) {
        events.run(event);
    }

    /** Ends the attempt after an error of an event, because no other event might end it. */
    private void eventFailed(Throwable error) {
        failLater(acquired, error);
        servers.clients().open().access().failed(servers.toString(), error);
    }

    private void failLater(CompletableFuture<?> future, Throwable error) {
        events.defer(() -> future.completeExceptionally(error));
    }

    // ---- acquiring

    /**
     * Requests the lock from all servers. The future completes with true when the lock is held. If the attempt fails, it
     * completes with false when every grant is released; {@link #failure} then returns the reason. If an event throws, the future
     * fails, and the caller has to release the attempt.
     */
    CompletableFuture<Boolean> start() {
        fixedLease.ifPresent(length -> lease.extend(length, servers.platform().nanoTime()));
        event(() -> {
            // the same for all, because the first request of a client may load classes for longer than that
            Duration time = answerTimeLeft();
            for (QuorumMember member : members) {
                // an answer of an earlier member may already have ended the attempt; that of the gate is known
                if (phase == Phase.ACQUIRING && member.memberLease().isEmpty()) {
                    member.request(fixedLease, time);
                }
            }
        });
        return acquired;
    }

    Duration answerTimeLeft() {
        return Duration.ofNanos(answerDeadline - servers.platform().nanoTime());
    }

    /** Returns the reason why the lock is not held; empty if others hold it. */
    Optional<RuntimeException> failure() {
        return Optional.ofNullable(failure);
    }

    void granted(QuorumMember member) {
        List<QuorumMember> granted =
                members.stream().filter(each -> each.memberLease().isPresent()).toList();
        long highest = granted.stream()
                .flatMap(each -> each.memberLease().stream())
                .mapToLong(LeaseAccess::fencingToken)
                .max()
                .orElse(0);
        if (phase != Phase.ACQUIRING || (token != 0 && highest <= token)) {
            member.raiseFloor(token);
        } else if (granted.size() < servers.majority()) {
            limitSilence();
        } else if (yields && isRefusedBy(answered())) {
            yielded = true;
            fail(null);
        } else {
            // a server that has confirmed only the lower token might still issue a token between the two
            token = highest + ROOM;
            granted.forEach(QuorumMember::unconfirm);
            granted.forEach(each -> each.raiseFloor(token));
        }
    }

    void confirmed(QuorumMember member, LeaseAccess memberLease) {
        if (phase == Phase.HELD && validCount() < servers.majority()) {
            member.remove(null);
            return;
        }
        memberLease.whenLost(lost -> event(this::removeLostMembers));
        recount();
        decide();
    }

    void removed() {
        recount();
        decide();
        detectLoss();
    }

    private void recount() {
        memberLeases = members.stream()
                .filter(member -> member.is(QuorumMember.State.CONFIRMED))
                .flatMap(member -> member.memberLease().stream())
                .toList();
    }

    private void decide() {
        if (phase != Phase.ACQUIRING) {
            return;
        }
        long valid = validCount();
        if (valid >= servers.majority()) {
            scheduleTick();
            phase = Phase.HELD;
            events.defer(() -> acquired.complete(true));
        } else if (valid + members.stream().filter(QuorumMember::isPending).count() < servers.majority()) {
            fail(hasLostMajority() ? QuorumTexts.failure(servers, members) : QuorumTexts.inDoubt(servers));
        } else {
            limitSilence();
        }
    }

    /** Ends the attempt. The reason is null if others hold the lock. */
    private void fail(@Nullable RuntimeException why) {
        failure = why;
        gate = first(answered()).map(member -> member.server).orElse(null);
        releaseAll(answerTimeLeft());
    }

    /** Returns {@code true} if another owner has the lock at the first of these servers. The first of all servers is the gate. */
    private static boolean isRefusedBy(Stream<QuorumMember> some) {
        return first(some).filter(QuorumMember::hasRefused).isPresent();
    }

    private static Optional<QuorumMember> first(Stream<QuorumMember> some) {
        return some.min(Comparator.comparing(member -> member.server.address()));
    }

    private Stream<QuorumMember> answered() {
        return members.stream().filter(QuorumMember::hasAnswered);
    }

    /** Returns {@code true} if the attempt gives way to an owner who has the turn. */
    boolean yields() {
        return yields;
    }

    /** Returns {@code true} if the attempt failed only because it gave way. */
    boolean hasYielded() {
        return yielded;
    }

    /** Returns the server at which contenders of a failed attempt take turns; empty if none has answered. */
    Optional<LockAccess> gate() {
        return Optional.ofNullable(gate);
    }

    /**
     * Begins the wait for a silent minority anew, if a server has refused the lock. At its end the minority is given up.
     */
    private void limitSilence() {
        silenceTimer.cancel();
        List<QuorumMember> silent = members.stream()
                .filter(member -> member.is(QuorumMember.State.REQUESTED))
                .toList();
        boolean contended = members.stream().anyMatch(QuorumMember::isRefused);
        if (contended && !silent.isEmpty() && silent.size() <= servers.all().size() - servers.majority()) {
            Duration late = Duration.ofNanos((servers.platform().nanoTime() - startNanos) * LATE_ROUND_TRIPS);
            // an attempt that will give way does not need the votes of slow servers
            boolean hurries = yields && isRefusedBy(members.stream());
            Duration least = hurries ? QuorumServers.shorter(patience, SHORT_PATIENCE) : patience;
            WeakReference<QuorumHold> self = new WeakReference<>(this);
            silenceTimer = servers.clients()
                    .later(late.compareTo(least) > 0 ? late : least, () -> deliver(self, QuorumHold::giveUpSilent));
        }
    }

    private void giveUpSilent() {
        members.forEach(member -> {
            if (phase == Phase.ACQUIRING && member.is(QuorumMember.State.REQUESTED)) {
                member.giveUp();
            }
        });
    }

    // ---- while the lock is held

    /** Returns the number of servers at which the hold is valid now. */
    int validCount() {
        return (int) memberLeases.stream().filter(LeaseAccess::isValid).count();
    }

    boolean isValid() {
        return phase == Phase.HELD && validCount() >= servers.majority();
    }

    /**
     * Returns the time for which a majority stays valid, which is the shortest time among the majority with the longest times.
     */
    Duration remaining() {
        List<Duration> longest = memberLeases.stream()
                .map(LeaseAccess::remainingLease)
                .sorted(Comparator.reverseOrder())
                .toList();
        boolean enough = phase == Phase.HELD && longest.size() >= servers.majority();
        return enough ? longest.get(servers.majority() - 1) : Duration.ZERO;
    }

    /** Returns the loss if there is one, even if no event has detected it yet. */
    Optional<LeaseLostException> loss() {
        if (phase == Phase.HELD && hasLostMajority()) {
            LeaseLostException lost = QuorumTexts.lost(servers, token, liveCount());
            event(this::detectLoss);
            return Optional.of(lost);
        }
        return Optional.ofNullable(loss);
    }

    private boolean hasLostMajority() {
        return liveCount() < servers.majority();
    }

    /** Returns the number of member leases that are not lost for good; some of them may be in doubt. */
    private int liveCount() {
        return (int) memberLeases.stream()
                .filter(memberLease -> !memberLease.isOver())
                .count();
    }

    /** Runs an event, unless the hold was garbage-collected. */
    private static void deliver(WeakReference<QuorumHold> self, Consumer<QuorumHold> event) {
        QuorumHold hold = self.get();
        if (hold != null) {
            hold.event(() -> event.accept(hold));
        }
    }

    private void removeLostMembers() {
        members.stream()
                .filter(member ->
                        member.memberLease().filter(LeaseAccess::isOver).isPresent())
                .forEach(member -> member.remove(null));
    }

    private void detectLoss() {
        if (phase == Phase.HELD && hasLostMajority()) {
            LeaseLostException lost = QuorumTexts.lost(servers, token, liveCount());
            loss = lost;
            lostByClose = servers.areTooManyClosed();
            phase = Phase.LOST;
            ticker.cancel();
            lossActions.forEach(action -> notifyLoss(action, lost));
            lossActions.clear();
            memberLeases = List.of();
            rest = members.stream().map(QuorumMember::release).toList();
        }
    }

    private void notifyLoss(Consumer<LeaseLostException> action, LeaseLostException lost) {
        events.defer(() -> servers.clients().notifyLoss("an action for the loss", () -> action.accept(lost)));
    }

    void onLost(Consumer<LeaseLostException> action) {
        event(() -> {
            LeaseLostException lost = loss;
            if (lost != null) {
                notifyLoss(action, lost);
            } else if (phase == Phase.HELD) {
                lossActions.add(action);
            }
        });
    }

    // ---- missing servers

    private void scheduleTick() {
        WeakReference<QuorumHold> self = new WeakReference<>(this);
        ticker = servers.clients()
                .later(servers.lease(fixedLease).dividedBy(TICKS), () -> deliver(self, QuorumHold::tick));
    }

    private void tick() {
        if (phase == Phase.HELD) {
            // first, because an error in the rest must not end the ticks, which notice the end of the owner
            scheduleTick();
        }
        if (phase == Phase.HELD && owner != null && !owner.isAlive()) {
            phase = Phase.ENDED;
            ticker.cancel();
            members.forEach(QuorumMember::abandon);
            recount();
        }
        detectLoss();
        if (phase == Phase.HELD) {
            removeLostMembers();
            members.stream()
                    .filter(member -> member.is(QuorumMember.State.IDLE) && !member.server.isClosed())
                    .forEach(this::requestAgain);
        }
    }

    private void requestAgain(QuorumMember member) {
        Optional<Duration> left = lease.untilEnd();
        if (left.filter(time -> time.compareTo(Durations.MIN_LEASE) < 0).isEmpty()) {
            member.request(left, servers.budget(fixedLease));
        }
    }

    // ---- the end

    /**
     * Releases the lock at all servers. The future completes when the releases are confirmed, or when the budget is used up. It
     * fails if a majority was lost before, or if the release throws.
     */
    CompletableFuture<Void> release() {
        CompletableFuture<Void> released = new CompletableFuture<>();
        event(() -> Relay.guarded(() -> release(released), error -> failLater(released, error)));
        return released;
    }

    private void release(CompletableFuture<Void> released) {
        detectLoss();
        LeaseLostException earlierLoss = loss;
        boolean wasHeld = phase == Phase.HELD;
        int count = memberLeases.size();
        CompletableFuture<Integer> lostCount = releaseAll(servers.budget(fixedLease));
        events.defer(() -> Relay.passOn(
                lostCount,
                lost -> {
                    if (lostByClose) {
                        released.completeExceptionally(QuorumTexts.clientsClosed(servers, token));
                    } else if (earlierLoss != null) {
                        released.completeExceptionally(earlierLoss);
                    } else if (wasHeld && count - lost < servers.majority()) {
                        // a client that is being closed may not have ended its hold yet
                        released.completeExceptionally(
                                servers.areTooManyClosed()
                                        ? QuorumTexts.clientsClosed(servers, token)
                                        : QuorumTexts.lost(servers, token, count - lost));
                    } else {
                        released.complete(null);
                    }
                },
                released::completeExceptionally));
    }

    /**
     * Ends the hold or the attempt, and releases all members. The future completes with the number of confirmed members that
     * were lost before, as far as that is known within the budget and within {@code max}.
     */
    @CanIgnoreReturnValue
    private CompletableFuture<Integer> releaseAll(Duration max) {
        phase = Phase.ENDED;
        ticker.cancel();
        silenceTimer.cancel();
        lossActions.clear();
        List<CompletableFuture<Boolean>> lost = Stream.concat(
                        rest.stream(), members.stream().map(QuorumMember::release))
                .toList();
        memberLeases = List.of();
        CompletableFuture<Void> all = CompletableFuture.allOf(lost.toArray(CompletableFuture[]::new));
        var timer = servers.clients()
                .later(QuorumServers.shorter(servers.budget(fixedLease), max), () -> all.complete(null));
        CompletableFuture<Integer> lostCount = all.thenApply(nothing -> {
            timer.cancel();
            return (int) lost.stream().filter(each -> each.getNow(false)).count();
        });
        events.defer(() -> Relay.passOn(lostCount, count -> acquired.complete(false), acquired::completeExceptionally));
        return lostCount;
    }
}
