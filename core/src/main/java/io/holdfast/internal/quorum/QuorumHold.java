package io.holdfast.internal.quorum;

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
 * One attempt of one owner to hold a majority of the servers, and what comes of it, until the end.
 *
 * <p><strong>Taking.</strong> All are asked at once. When a majority has granted, the highest of its tokens is the token of
 * the whole, and each is told to give none below it from now on; the hold begins when a majority has confirmed that. A server
 * that grants a higher one before it began raises the whole, and all confirm anew: it may have been another's meanwhile. Any
 * two majorities share a server, so whoever holds later has a token from a server that knew of this one. Servers that answer
 * later, or were silent and are asked again every third of a lease, go through the same. An attempt that cannot come to a
 * majority any more gives back all it got.
 *
 * <p><strong>Validity.</strong> Each hold at a server is valid without a break from when it was granted until it is lost for
 * good, as any lock is; so the whole is valid while a majority is. A server may join only while a majority of the others is
 * valid: then none was missing since the one before joined. Without that, a hold could be lost, be another's meanwhile, and
 * be made good again in silence.
 *
 * <p>Events come one at a time ({@link Serial}); timers refer to this object weakly, so that one whose owner forgot it is
 * collected with its leases, which their engines see.
 */
final class QuorumHold {

    private static final int TICKS_PER_LEASE = 3;

    /** Where it stands. */
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
     * @param own how long it is held without renewal; empty to renew it
     * @param owner the thread that holds it; null if a lease does
     * @param timeout for how long servers that do not answer are waited for
     */
    QuorumHold(QuorumServers servers, Optional<Duration> own, @Nullable Thread owner, Duration timeout) {
        this.servers = servers;
        this.own = own;
        this.owner = owner;
        askUntil = servers.platform().nanoTime() + timeout.toNanos();
        events = new Serial(e -> servers.open().failed(servers.toString(), e));
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

    /** Those that count, lost ones perhaps among them. */
    List<LeaseAccess> memberLeases() {
        return memberLeases;
    }

    void event(Runnable event) {
        events.run(event);
    }

    // ---- taking

    /** Asks all; whether it is held, or all that was got is given back, and {@link #failure} tells why. */
    CompletableFuture<Boolean> start() {
        endIn(own);
        event(() -> {
            for (QuorumMember member : members) {
                // those before may have ended it
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

    /** Why it is not held; empty if others hold it. */
    Optional<RuntimeException> failure() {
        return Optional.ofNullable(failure);
    }

    void granted(QuorumMember member) {
        List<QuorumMember> having =
                members.stream().filter(any -> any.memberLease().isPresent()).toList();
        long highest = having.stream()
                .flatMap(any -> any.memberLease().stream())
                .mapToLong(LeaseAccess::token)
                .max()
                .orElse(0);
        if (phase != Phase.ASKING || (token != 0 && highest <= token)) {
            member.raise(token);
        } else if (having.size() >= servers.majority()) {
            // those who have confirmed a lower one would let a token between the two be given
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

    // ---- while it is held

    /** At how many servers it is valid now. */
    int valid() {
        return (int) memberLeases.stream().filter(LeaseAccess::isValid).count();
    }

    boolean isValid() {
        return phase == Phase.HELD && valid() >= servers.majority();
    }

    /** Until when a majority is valid: as long as the last of those that are longest. */
    Duration remaining() {
        List<Duration> longest = memberLeases.stream()
                .map(LeaseAccess::remaining)
                .sorted(Comparator.reverseOrder())
                .toList();
        boolean enough = phase == Phase.HELD && longest.size() >= servers.majority();
        return enough ? longest.get(servers.majority() - 1) : Duration.ZERO;
    }

    /** The loss, if it happened, also if nobody has noticed yet. */
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

    /** Those that are not lost; they may be in doubt. */
    private int kept() {
        return (int) memberLeases.stream()
                .filter(memberLease -> !memberLease.isOver())
                .count();
    }

    /** Runs an event, unless its owner forgot the hold. */
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

    /** The end of a hold with a time of its own, from now; never an earlier one. */
    void endIn(Optional<Duration> lease) {
        lease.ifPresent(length -> {
            long at = servers.platform().nanoTime() + length.toNanos();
            end = phase == Phase.ASKING || at - end > 0 ? at : end;
            longest = longest.filter(before -> before.compareTo(length) > 0).or(() -> lease);
        });
    }

    /** The longest lease that it was acquired for, or extended by; empty if it is renewed. */
    Optional<Duration> longest() {
        return longest;
    }

    // ---- servers that are missing

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
     * Gives everything back. Completes when that is confirmed, or a budget later; fails if a majority was lost before.
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

    /** How many were lost before, as far as that is known within a budget and that time. */
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
