package io.holdfast.support.record;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Change;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import io.holdfast.support.TokenUnits;
import java.util.List;
import java.util.Optional;

/**
 * The decisions of a store. Each is a function of the present record, the request, and the moment.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A decision first removes everything that has expired.
 *   <li>A request that arrives twice has the effect of one.
 *   <li>If a request cannot be decided, the decision throws a {@link StoreException}, and nothing is written.
 * </ol>
 */
public final class Decider {

    private final Limits limits;

    /** Creates the decisions of a store with the given limits. */
    public Decider(Limits limits) {
        this.limits = limits;
    }

    private Draft draft(LockRecord before, String name, Moment moment) {
        return new Draft(before, name, moment, limits);
    }

    private static NameDecider decider(Draft draft, Mode mode) {
        return mode == Mode.PERMITS ? new SemaphoreDecider(draft) : new LockDecider(draft);
    }

    // ---- holds

    /** Decides {@link io.holdfast.spi.LockStore#acquire}. */
    public Decision<Acquire.Reply> acquire(LockRecord before, Acquire request, Moment moment) {
        if (moment.clock() > request.notAfter()) {
            return new Decision<>(before, new Acquire.Late(moment.clock()), List.of());
        }
        Draft draft = draft(before, request.name(), moment);
        return draft.decided(decider(draft, request.share().mode()).acquire(request));
    }

    /**
     * Decides one renewal of {@link io.holdfast.spi.LockStore#renew}. A loss changes the record, so that it is written. A server that
     * was replaced, or has just taken over, may read an old record (stale read), and only a write proves that the record was the
     * last one.
     */
    public Decision<Renew.Reply> renew(LockRecord before, Renew request, Moment moment) {
        Draft draft = draft(before, request.name(), moment);
        return draft.decided(held(draft, request.tenure(), request.mode())
                .filter(draft::isPresent)
                .<Renew.Reply>map(holder -> renew(draft, holder, request))
                .orElseGet(() -> {
                    draft.takeArrival();
                    return new Renew.Lost();
                }));
    }

    private static Renew.Renewed renew(Draft draft, Holder holder, Renew request) {
        if (TokenUnits.unit(request.floor()) >= Tokens.END) {
            throw Draft.refused("the name " + quoted(draft.name()) + " cannot issue tokens above " + request.floor()
                    + ": the floor is not a token of a store with a clock");
        }
        draft.extend(holder, request);
        draft.update(draft.record().with(draft.record().tokens().above(request.floor())));
        Optional<TokenBlock> tokens =
                request.tokens() > 0 ? Optional.of(draft.draw(holder.tenure(), request.tokens())) : Optional.empty();
        return new Renew.Renewed(
                request.lease(), decider(draft, request.mode()).waiters(holder.tenure()), tokens, draft.clock());
    }

    private static Optional<Holder> held(Draft draft, TenureId tenure, Mode mode) {
        return draft.holders().of(tenure).filter(holder -> holder.mode() == mode);
    }

    /** Decides {@link io.holdfast.spi.LockStore#release}. */
    public Decision<Release.Reply> release(LockRecord before, Release request, Moment moment) {
        Draft draft = draft(before, request.name(), moment);
        NameDecider decider = decider(draft, request.mode());
        Optional<Holder> held = held(draft, request.tenure(), request.mode());
        boolean lost = held.isEmpty() && draft.record().tokens().showNoReleaseSince(request.keptToken());
        held.ifPresent(holder -> draft.release(holder, request.lastToken()));
        draft.withdraw(request.tenure());
        request.places().forEach(draft::withdraw);
        decider.serve(request.yield());
        if (draft.record().equals(before)) {
            // late acquire: one that was decided on the same record must not be written after this release
            draft.takeArrival();
        }
        return draft.decided(
                new Release.Reply(held.isPresent(), decider.waiters(request.tenure()), draft.clock(), lost));
    }

    /** Decides {@link io.holdfast.spi.LockStore#forceRelease}, and replies with the former holders. */
    public Decision<List<Holder>> forceRelease(LockRecord before, String name, Moment moment) {
        Draft draft = draft(before, name, moment);
        List<Holder> held = draft.holders().all();
        held.forEach(holder -> revokeHold(draft, holder));
        new LockDecider(draft).serve(false);
        return draft.decided(held);
    }

    /** Decides {@link io.holdfast.spi.CounterStore#revoke}. */
    public Decision<Boolean> revoke(LockRecord before, String name, TenureId permit, Moment moment) {
        Draft draft = draft(before, name, moment);
        Optional<Holder> held = draft.holders().of(permit);
        held.ifPresent(holder -> {
            revokeHold(draft, holder);
            new SemaphoreDecider(draft).serve(true);
        });
        return draft.decided(held.isPresent());
    }

    private static void revokeHold(Draft draft, Holder holder) {
        draft.free(holder, 0);
        draft.notify(holder.claimant().party(), name -> new Signal.Revoked(name, holder.tenure()));
    }

    // ---- counters

    /** Decides {@link io.holdfast.spi.CounterStore#change}. */
    public Decision<Change.Reply> change(LockRecord before, Change request, Moment moment) {
        if (moment.clock() > request.notAfter()) {
            return new Decision<>(before, new Change.Late(moment.clock()), List.of());
        }
        Draft draft = draft(before, request.name(), moment);
        boolean applied = draft.record().changes().answerTo(request.id()).orElseGet(() -> apply(draft, request));
        return draft.decided(new Change.Done(applied, draft.clock()));
    }

    private boolean apply(Draft draft, Change request) {
        requireNewest(draft, request);
        boolean applied = request.kind().ofLatch()
                ? new LatchDecider(draft).apply(request)
                : new SemaphoreDecider(draft).apply(request);
        var decided = new Changes.Decided(request.id(), applied, draft.now());
        draft.update(draft.record().with(draft.record().changes().with(decided, limits.changes())));
        if (!request.kind().ofLatch()) {
            new SemaphoreDecider(draft).serve(true);
        }
        return applied;
    }

    /** Refuses a change that may be a late duplicate of a forgotten one, and a change that could not be remembered. */
    private void requireNewest(Draft draft, Change request) {
        Changes changes = draft.record().changes();
        if (changes.mayHaveForgotten(request.id(), limits.changes())) {
            throw new StoreException(
                    StoreException.Effect.UNKNOWN,
                    "cannot tell whether an earlier copy of this request changed " + quoted(draft.name()) + ": client "
                            + request.id().clientId() + " has changed it since; read the value, and decide again");
        }
        if (changes.all().size() >= limits.holders()
                && !changes.include(request.id().clientId())) {
            throw new StoreException(
                    StoreException.Effect.NOT_APPLIED,
                    quoted(draft.name()) + " was changed by " + limits.holders()
                            + " clients within a minute, the maximum of this store; retry in a minute");
        }
    }

    /** Decides {@link io.holdfast.spi.CounterStore#latch} for a client, which starts or stops listening. */
    public Decision<LatchReport> latch(
            LockRecord before, String name, String clientId, boolean listening, Moment moment) {
        Draft draft = draft(before, name, moment);
        Party client = new Party(clientId, moment.session());
        return draft.decided(new LatchDecider(draft).report(client, listening));
    }
}
