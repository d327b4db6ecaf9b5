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
 * <p><strong>Acquiring.</strong> All servers are asked at once. When a majority has granted the lock, the highest of their
 * tokens becomes the token of the hold. Each of them is asked to issue later tokens only above it. The hold begins when a
 * majority has confirmed that. Before that, a server may grant a higher token, because another owner may have held its lock in
 * between. That token then becomes the token of the hold, and all servers confirm again. A server that answers later takes the
 * same steps. So does a server that was silent, which is asked again every third of a lease.
 *
 * <p><strong>Validity.</strong> Like any lock, a hold at one server is valid without a break from its grant until it is lost
 * for good. When a server joins, a majority of the others is valid, so none of them was missing since the previous server
 * joined. Without invariant 3, the hold could be lost, another owner could hold the lock, and the first hold could silently
 * become valid again.
 *
 * <p><strong>Threads.</strong> Events run one at a time ({@link Serial}). Timers refer to this object weakly. So a hold that
 * its owner no longer refers to is collected together with its leases, and their engines notice that.
 *
 * <p>See D. K. Gifford, "Weighted Voting for Replicated Data", SOSP 1979, for quorums that intersect.
 */
final class QuorumHold {

    private static final int TICKS_PER_LEASE = 3;

    /** The phase of the hold. */
    private enum Phase {
        ASKING,
        HELD,
        LOST,
        OVER
    }

    private final QuorumServers servers;
    private final Optional<Duration> own;
    private final @Nullable Thread owner;
    private final long askUntil;
    private final List<QuorumMember> members;
    private final Serial events;
    private final CompletableFuture<Boolean> started = new CompletableFuture<>();
    private final List<Consumer<LeaseLostException>> lossActions = new ArrayList<>();

    private volatile Phase phase = Phase.ASKING;
    private volatile List<LeaseAccess> memberLeases = List.of();
    private volatile long token;
    private volatile long end;
    private volatile Optional<Duration> longest = Optional.empty();
    private volatile @Nullable LeaseLostException loss;
    private boolean lostByClose;
    private volatile @Nullable RuntimeException failure;
    private Platform.Task ticker = () -> {};

    /**
     * Creates an attempt, which {@link #start} begins.
     *
     * @param own the lease of a hold that is not renewed; empty to renew the hold
     * @param owner the thread that holds it; null if a lease does
     * @param timeout the maximum time to wait for servers that do not answer
     */
    QuorumHold(QuorumServers servers, Optional<Duration> own, @Nullable Thread owner, Duration timeout) {
        this.servers = servers;
        this.own = own;
        this.owner = owner;
        askUntil = servers.platform().nanoTime() + timeout.toNanos();
        events = new Serial(e -> servers.open().access().failed(servers.toString(), e));
        members = servers.all().stream()
                .map(server -> new QuorumMember(server, this, servers.budget(server, own)))
                .toList();
    }

    String name() {
        return servers.name();
    }

    long token() {
        return token;
    }

    Optional<Duration> own() {
        return own;
    }

    /** Returns the leases of the members that count; some of them may be lost. */
    List<LeaseAccess> memberLeases() {
        return memberLeases;
    }

    void event(Runnable event) {
        events.run(event);
    }

    // ---- acquiring

    /**
     * Asks all servers. The future completes with true when the lock is held. It completes with false when everything that was
     * acquired is released; then {@link #failure} returns the reason.
     */
    CompletableFuture<Boolean> start() {
        endIn(own);
        event(() -> {
            for (QuorumMember member : members) {
                // the answer of an earlier member may have ended the attempt
                if (phase == Phase.ASKING) {
                    member.ask(own, left());
                }
            }
        });
        return started;
    }

    private Duration left() {
        return Duration.ofNanos(askUntil - servers.platform().nanoTime());
    }

    /** Returns the reason why the lock is not held; empty if others hold it. */
    Optional<RuntimeException> failure() {
        return Optional.ofNullable(failure);
    }

    void granted(QuorumMember member) {
        List<QuorumMember> having =
                members.stream().filter(any -> any.memberLease().isPresent()).toList();
        long highest = having.stream()
                .flatMap(any -> any.memberLease().stream())
                .mapToLong(LeaseAccess::fencingToken)
                .max()
                .orElse(0);
        if (phase != Phase.ASKING || (token != 0 && highest <= token)) {
            member.raise(token);
        } else if (having.size() >= servers.majority()) {
            // a server that has confirmed only the lower token could still issue one between the two
            token = highest;
            having.forEach(QuorumMember::reopen);
            having.forEach(any -> any.raise(token));
        }
    }

    void confirmed(QuorumMember member, LeaseAccess memberLease) {
        if (phase == Phase.HELD && valid() < servers.majority()) {
            member.drop(null);
            return;
        }
        memberLease.whenLost(lost -> event(this::dropTheLost));
        recount();
        decide();
    }

    void dropped() {
        recount();
        decide();
        noticeLoss();
    }

    private void recount() {
        memberLeases = members.stream()
                .filter(member -> member.is(QuorumMember.State.CONFIRMED))
                .flatMap(member -> member.memberLease().stream())
                .toList();
    }

    private void decide() {
        if (phase != Phase.ASKING) {
            return;
        }
        long valid = valid();
        if (valid >= servers.majority()) {
            tickLater();
            phase = Phase.HELD;
            events.afterwards(() -> started.complete(true));
        } else if (valid + members.stream().filter(QuorumMember::isOpen).count() < servers.majority()) {
            failure = QuorumTexts.failure(servers, members);
            dissolve(left());
        }
    }

    // ---- while the lock is held

    /** Returns the number of servers at which the hold is valid now. */
    int valid() {
        return (int) memberLeases.stream().filter(LeaseAccess::isValid).count();
    }

    boolean isValid() {
        return phase == Phase.HELD && valid() >= servers.majority();
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

    /** Returns the loss if there is one, even if no event has noticed it yet. */
    Optional<LeaseLostException> loss() {
        if (phase == Phase.HELD && isTooSmall()) {
            event(this::noticeLoss);
            return Optional.of(QuorumTexts.lost(servers, token, kept()));
        }
        return Optional.ofNullable(loss);
    }

    private boolean isTooSmall() {
        return kept() < servers.majority();
    }

    /** Returns the number of member leases that are not lost; some of them may be in doubt. */
    private int kept() {
        return (int) memberLeases.stream()
                .filter(memberLease -> !memberLease.isOver())
                .count();
    }

    /** Runs an event, unless the hold was collected. */
    private static void later(WeakReference<QuorumHold> self, Consumer<QuorumHold> event) {
        QuorumHold hold = self.get();
        if (hold != null) {
            hold.event(() -> event.accept(hold));
        }
    }

    private void dropTheLost() {
        members.stream()
                .filter(member ->
                        member.memberLease().filter(LeaseAccess::isOver).isPresent())
                .forEach(member -> member.drop(null));
    }

    private void noticeLoss() {
        if (phase == Phase.HELD && isTooSmall()) {
            LeaseLostException lost = QuorumTexts.lost(servers, token, kept());
            loss = lost;
            lostByClose = servers.areClosed();
            phase = Phase.LOST;
            ticker.cancel();
            members.stream().filter(QuorumMember::isOpen).forEach(QuorumMember::leave);
            lossActions.forEach(action -> tell(action, lost));
            lossActions.clear();
        }
    }

    private void tell(Consumer<LeaseLostException> action, LeaseLostException lost) {
        events.afterwards(() -> servers.tellLoss("an action for the loss", () -> action.accept(lost)));
    }

    void onLost(Consumer<LeaseLostException> action) {
        event(() -> {
            LeaseLostException lost = loss;
            if (lost != null) {
                tell(action, lost);
            } else if (phase == Phase.HELD) {
                lossActions.add(action);
            }
        });
    }

    /** Sets the end of a hold with a lease of its own, counted from now. It never moves the end to an earlier time. */
    void endIn(Optional<Duration> lease) {
        lease.ifPresent(length -> {
            long at = servers.platform().nanoTime() + length.toNanos();
            end = phase == Phase.ASKING || at - end > 0 ? at : end;
            longest = longest.filter(before -> before.compareTo(length) > 0).or(() -> lease);
        });
    }

    /** Returns the longest lease for which the hold was acquired or extended; empty if it is renewed. */
    Optional<Duration> longest() {
        return longest;
    }

    // ---- missing servers

    private void tickLater() {
        WeakReference<QuorumHold> self = new WeakReference<>(this);
        ticker = servers.later(servers.lease(own).dividedBy(TICKS_PER_LEASE), () -> later(self, QuorumHold::tick));
    }

    private void tick() {
        if (phase == Phase.HELD && owner != null && !owner.isAlive()) {
            phase = Phase.OVER;
            members.forEach(QuorumMember::abandon);
            recount();
        }
        noticeLoss();
        if (phase == Phase.HELD) {
            dropTheLost();
            members.stream()
                    .filter(member -> member.is(QuorumMember.State.IDLE) && !member.server.isClosed())
                    .forEach(this::askAgain);
            tickLater();
        }
    }

    private void askAgain(QuorumMember member) {
        Optional<Duration> left =
                own.map(any -> Duration.ofNanos(end - servers.platform().nanoTime()));
        if (left.filter(time -> time.compareTo(Durations.MIN_LEASE) < 0).isEmpty()) {
            member.ask(left, servers.budget(own));
        }
    }

    // ---- the end

    /**
     * Releases the lock at all servers. The future completes when the releases are confirmed, or a budget later. It fails if a
     * majority was lost before.
     */
    CompletableFuture<Void> end() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        event(() -> end(ended));
        return ended;
    }

    private void end(CompletableFuture<Void> ended) {
        noticeLoss();
        LeaseLostException before = loss;
        boolean byClose = lostByClose;
        boolean wasHeld = phase == Phase.HELD;
        int had = memberLeases.size();
        CompletableFuture<Integer> dissolved = dissolve(servers.budget(own));
        events.afterwards(() -> {
            var unused = dissolved.thenAccept(lost -> {
                if (byClose) {
                    ended.completeExceptionally(QuorumTexts.clientsClosed(servers, token));
                } else if (before != null) {
                    ended.completeExceptionally(before);
                } else if (wasHeld && had - lost < servers.majority()) {
                    ended.completeExceptionally(QuorumTexts.lost(servers, token, had - lost));
                } else {
                    ended.complete(null);
                }
            });
        });
    }

    /**
     * Ends the hold or the attempt. The future completes with the number of members that were lost before, as far as that is
     * known within the budget and within {@code most}.
     */
    @CanIgnoreReturnValue
    private CompletableFuture<Integer> dissolve(Duration most) {
        phase = Phase.OVER;
        ticker.cancel();
        lossActions.clear();
        List<CompletableFuture<Boolean>> lost =
                members.stream().map(QuorumMember::leave).toList();
        memberLeases = List.of();
        CompletableFuture<Void> all = CompletableFuture.allOf(lost.toArray(CompletableFuture[]::new));
        Platform.Task timer = servers.later(QuorumServers.shorter(servers.budget(own), most), () -> all.complete(null));
        CompletableFuture<Integer> dissolved = all.thenApply(nothing -> {
            timer.cancel();
            return (int) lost.stream().filter(each -> each.getNow(false)).count();
        });
        events.afterwards(() -> {
            var unused = dissolved.thenRun(() -> started.complete(false));
        });
        return dissolved;
    }
}
