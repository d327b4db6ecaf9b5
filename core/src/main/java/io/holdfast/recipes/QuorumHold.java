package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.LeaseLostException;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.LeaseAccess;
import io.holdfast.spi.Platform;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
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
 *   <li>An attempt that can no longer reach a majority releases everything that it acquired.
 * </ol>
 *
 * <p><strong>Acquiring.</strong> The hold requests the lock from all servers at once. When a majority has granted it, the
 * highest of their tokens becomes the token of the hold. Each of these servers is asked to issue later tokens only above it.
 * The hold begins when a majority has confirmed that. Before that, a server may grant a higher token, because another owner may
 * have held its lock in between. That token then becomes the token of the hold, and all servers confirm again. A server that
 * answers later takes the same steps. So does a server that did not answer, which is asked again every third of a lease.
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
    private final long answerDeadline;
    private final List<QuorumMember> members;
    private final Serial events;
    private final CompletableFuture<Boolean> acquired = new CompletableFuture<>();
    private final List<Consumer<LeaseLostException>> lossActions = new ArrayList<>();

    private volatile Phase phase = Phase.ACQUIRING;
    private volatile List<LeaseAccess> memberLeases = List.of();
    private volatile long token;
    private volatile long endNanos;
    private volatile Optional<Duration> longest = Optional.empty();
    private volatile @Nullable LeaseLostException loss;
    private boolean lostByClose;
    private volatile @Nullable RuntimeException failure;
    private Platform.Task ticker = () -> {};

    /**
     * Creates an attempt, which {@link #start} starts.
     *
     * @param fixedLease the lease of a hold that is not renewed; empty to renew the hold
     * @param owner the thread that holds the lock; null if a lease holds it
     * @param timeout the maximum time to wait for servers that do not answer
     */
    QuorumHold(QuorumServers servers, Optional<Duration> fixedLease, @Nullable Thread owner, Duration timeout) {
        this.servers = servers;
        this.fixedLease = fixedLease;
        this.owner = owner;
        answerDeadline = servers.platform().nanoTime() + timeout.toNanos();
        events = new Serial(e -> servers.open().access().failed(servers.toString(), e));
        members = servers.all().stream()
                .map(server -> new QuorumMember(server, this, servers.budget(server, fixedLease)))
                .toList();
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

    /** Returns the leases of the confirmed members; some of them may be lost. */
    List<LeaseAccess> memberLeases() {
        return memberLeases;
    }

    void event(Runnable event) {
        events.run(event);
    }

    // ---- acquiring

    /**
     * Requests the lock from all servers. The future completes with true when the lock is held. If the attempt fails, it
     * completes with false when every grant is released; {@link #failure} then returns the reason.
     */
    CompletableFuture<Boolean> start() {
        setEnd(fixedLease, servers.platform().nanoTime());
        event(() -> {
            for (QuorumMember member : members) {
                // an answer of an earlier member may already have ended the attempt
                if (phase == Phase.ACQUIRING) {
                    member.request(fixedLease, answerTimeLeft());
                }
            }
        });
        return acquired;
    }

    private Duration answerTimeLeft() {
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
        } else if (granted.size() >= servers.majority()) {
            // a server that has confirmed only the lower token might still issue a token between the two
            token = highest;
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
            failure = hasLostMajority() ? QuorumTexts.failure(servers, members) : QuorumTexts.inDoubt(servers);
            releaseAll(answerTimeLeft());
        }
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
            event(this::detectLoss);
            return Optional.of(QuorumTexts.lost(servers, token, liveCount()));
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
            members.stream().filter(QuorumMember::isPending).forEach(QuorumMember::release);
            lossActions.forEach(action -> notifyLoss(action, lost));
            lossActions.clear();
        }
    }

    private void notifyLoss(Consumer<LeaseLostException> action, LeaseLostException lost) {
        events.defer(() -> servers.notifyLoss("an action for the loss", () -> action.accept(lost)));
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

    /**
     * Sets the end of a hold with a fixed lease, counted from the given {@code nanoTime}. During a hold, the end never moves to an
     * earlier time.
     */
    void setEnd(Optional<Duration> lease, long from) {
        lease.ifPresent(length -> {
            long at = from + length.toNanos();
            endNanos = phase == Phase.ACQUIRING || at - endNanos > 0 ? at : endNanos;
            longest = longest.filter(before -> before.compareTo(length) > 0).or(() -> lease);
        });
    }

    /** Returns how long a hold with a fixed lease can stay valid, at least; empty if it is renewed. */
    Optional<Duration> left() {
        return longest.map(lease -> {
            Duration margin = lease.minus(servers.open().validityOf(lease));
            Duration left =
                    Duration.ofNanos(endNanos - servers.platform().nanoTime()).minus(margin);
            return left.isNegative() ? Duration.ZERO : left;
        });
    }

    /** Returns the longest lease for which the hold was acquired or extended; empty if it is renewed. */
    Optional<Duration> longestLease() {
        return longest;
    }

    // ---- missing servers

    private void scheduleTick() {
        WeakReference<QuorumHold> self = new WeakReference<>(this);
        ticker = servers.later(servers.lease(fixedLease).dividedBy(TICKS), () -> deliver(self, QuorumHold::tick));
    }

    private void tick() {
        if (phase == Phase.HELD && owner != null && !owner.isAlive()) {
            phase = Phase.ENDED;
            members.forEach(QuorumMember::abandon);
            recount();
        }
        detectLoss();
        if (phase == Phase.HELD) {
            removeLostMembers();
            members.stream()
                    .filter(member -> member.is(QuorumMember.State.IDLE) && !member.server.isClosed())
                    .forEach(this::requestAgain);
            scheduleTick();
        }
    }

    private void requestAgain(QuorumMember member) {
        Optional<Duration> left = fixedLease.map(
                each -> Duration.ofNanos(endNanos - servers.platform().nanoTime()));
        if (left.filter(time -> time.compareTo(Durations.MIN_LEASE) < 0).isEmpty()) {
            member.request(left, servers.budget(fixedLease));
        }
    }

    // ---- the end

    /**
     * Releases the lock at all servers. The future completes when the releases are confirmed, or when the budget is used up. It
     * fails if a majority was lost before.
     */
    CompletableFuture<Void> release() {
        CompletableFuture<Void> released = new CompletableFuture<>();
        event(() -> release(released));
        return released;
    }

    private void release(CompletableFuture<Void> released) {
        detectLoss();
        LeaseLostException earlierLoss = loss;
        boolean wasHeld = phase == Phase.HELD;
        int count = memberLeases.size();
        CompletableFuture<Integer> lostCount = releaseAll(servers.budget(fixedLease));
        events.defer(() -> {
            var unused = lostCount.thenAccept(lost -> {
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
            });
        });
    }

    /**
     * Ends the hold or the attempt, and releases all members. The future completes with the number of confirmed members that
     * were lost before, as far as that is known within the budget and within {@code max}.
     */
    @CanIgnoreReturnValue
    private CompletableFuture<Integer> releaseAll(Duration max) {
        phase = Phase.ENDED;
        ticker.cancel();
        lossActions.clear();
        List<CompletableFuture<Boolean>> lost =
                members.stream().map(QuorumMember::release).toList();
        memberLeases = List.of();
        CompletableFuture<Void> all = CompletableFuture.allOf(lost.toArray(CompletableFuture[]::new));
        var timer = servers.later(QuorumServers.shorter(servers.budget(fixedLease), max), () -> all.complete(null));
        CompletableFuture<Integer> lostCount = all.thenApply(nothing -> {
            timer.cancel();
            return (int) lost.stream().filter(each -> each.getNow(false)).count();
        });
        events.defer(() -> {
            var unused = lostCount.thenRun(() -> acquired.complete(false));
        });
        return lostCount;
    }
}
