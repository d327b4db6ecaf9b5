package io.holdfast.support.record;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.util.List;
import java.util.Optional;

/**
 * A record as the columns of a table.
 *
 * <p>The holder of a lock and the tokens have columns of their own, so that one guarded statement can acquire, renew or release a
 * lock that nobody waits for. Everything else is a {@linkplain RecordText text}.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The text is absent if nobody waits, nothing is assigned, and nothing is shared. Only then may a statement acquire or
 *       release the lock without reading the text.
 *   <li>An assignment that is not claimed yet stands in the columns and in the text. A statement that renews it changes the
 *       column alone. So it is unclaimed only as long as both have the same end.
 * </ol>
 *
 * @param tenure the holder of a lock; empty if nobody holds the lock, and for other names
 * @param expires the end of its lease; 0 if there is no holder
 * @param lastUnit the last token unit that was issued
 * @param floorUnit the last token unit that was issued before the holder acquired the lock
 * @param waiters the number of waiters that is reported to the holder
 * @param state the text of everything else; empty if there is nothing else
 */
public record RecordColumns(
        Optional<String> tenure, long expires, long lastUnit, long floorUnit, int waiters, Optional<String> state) {

    /**
     * Returns the columns of a record.
     *
     * @param before the record before the decision
     * @throws StoreException if the text is too long; see {@link RecordText#encode}
     */
    public static RecordColumns of(String name, LockRecord before, LockRecord record) {
        Optional<Holder> holder = holder(record);
        LockRecord rest = rest(record);
        return new RecordColumns(
                holder.map(each -> each.tenure().toString()),
                holder.map(Holder::expires).orElse(0L),
                record.tokens().last(),
                record.tokens().floor(),
                holder.map(each -> record.queue()
                                .clientsBeyondHandoffOf(each.tenure().clientId()))
                        .orElse(0),
                rest.equals(LockRecord.EMPTY)
                        ? Optional.empty()
                        : Optional.of(RecordText.encode(name, rest(before), rest)));
    }

    /** Returns the holder of a lock. */
    private static Optional<Holder> holder(LockRecord record) {
        return record.holders().all().stream()
                .filter(holder -> holder.mode() == Mode.LOCK)
                .findFirst();
    }

    /** Returns what is written as text. The arrivals of earlier waiters are not kept when nobody waits any longer. */
    private static LockRecord rest(LockRecord record) {
        boolean claimed = holder(record).filter(holder -> !holder.unclaimed()).isPresent();
        LockRecord rest = record.with(Tokens.NONE);
        rest = claimed ? rest.with(Holders.NONE) : rest;
        return rest.queue().isEmpty() ? rest.with(Places.EMPTY) : rest;
    }

    /**
     * Returns the record of these columns.
     *
     * @throws StoreException if the text cannot be read; see {@link RecordText#decode}
     */
    public LockRecord record(String name) {
        LockRecord rest = state.map(text -> RecordText.decode(name, text)).orElse(LockRecord.EMPTY);
        return rest.with(new Tokens(lastUnit, floorUnit))
                .with(tenure.map(id -> new Holders(List.of(holder(tenure(id), rest))))
                        .orElse(rest.holders()));
    }

    /** Returns the tenure of a text. A person may have written another text into the column. */
    private static TenureId tenure(String text) {
        try {
            return TenureId.parse(text);
        } catch (IllegalArgumentException e) {
            return new TenureId(text, 0);
        }
    }

    private Holder holder(TenureId id, LockRecord rest) {
        return rest.holders()
                .of(id)
                .filter(assigned -> assigned.expires() == expires)
                .orElseGet(() ->
                        new Holder(Claimant.of(id, Optional.empty()), Mode.LOCK, expires, 0, 0, Grant.NONE, false));
    }
}
