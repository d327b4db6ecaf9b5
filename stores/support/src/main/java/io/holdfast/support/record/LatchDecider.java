package io.holdfast.support.record;

import io.holdfast.spi.Change;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The decisions about latches; see {@link io.holdfast.spi.CounterStore}. */
record LatchDecider(Draft draft) {

    private Optional<Latch> latch() {
        return draft.record().latch();
    }

    private void update(Latch latch) {
        draft.update(draft.record().with(Optional.of(latch)));
    }

    private boolean isSet() {
        return latch().filter(latch -> latch.isSet(draft.now())).isPresent();
    }

    /** Applies a change. Returns {@code false} if the state of the latch does not allow it. */
    boolean apply(Change change) {
        boolean applies =
                change.kind() == Change.Kind.RESET_COUNT || isSet() != (change.kind() == Change.Kind.TRY_COUNT);
        if (applies) {
            Latch next = next(change);
            update(next);
            if (change.kind() != Change.Kind.COUNT_DOWN || next.isOver(draft.now())) {
                notifyListeners(next);
            }
        }
        return applies;
    }

    private Latch next(Change change) {
        long now = draft.now();
        return switch (change.kind()) {
            case TRY_COUNT, RESET_COUNT -> set(change.amount(), change.life());
            case COUNT_DOWN -> latch().orElseThrow().countDown(change.amount(), now);
            case DELETE_COUNT -> latch().orElseThrow().endNow(now);
            default -> throw new IllegalArgumentException(change.kind() + " is not a change of a latch");
        };
    }

    private Latch set(int count, Optional<Duration> life) {
        long ends = life.map(draft.moment()::after).orElse(LockRecord.NEVER);
        return latch().map(before -> before.reset(count, ends, draft.now()))
                .orElseGet(() -> Latch.first(count, ends, draft.now()));
    }

    private void notifyListeners(Latch latch) {
        latch.listeners().forEach(listener -> draft.notify(listener.party(), Signal.Changed::new));
        update(latch.withListeners(List.of()));
    }

    /** Reports the latch. A client listens only if the latch is closed. */
    LatchReport report(Party client, boolean listening) {
        latch().map(latch -> latch.without(client.clientId()))
                .map(latch -> listening && !latch.isOver(draft.now()) && draft.hasRoomFor(latch.listeners())
                        ? latch.with(new Latch.Listener(client, draft.now()))
                        : latch)
                .ifPresent(this::update);
        return latch().map(latch -> latch.report(draft.now()))
                .orElseGet(() -> new LatchReport(OptionalLong.empty(), 0, 0, 0, Set.of()));
    }
}
