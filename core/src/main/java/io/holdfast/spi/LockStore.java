package io.holdfast.spi;

import io.holdfast.LockReport;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A place that keeps locks for many clients: a connection of one client to it.
 *
 * <h2>Rules for every operation</h2>
 * <ol>
 *   <li>It is atomic, decided by the store's own clock, and may be repeated: a second copy of a request has the effect of
 *       one.
 *   <li>It returns at once, unless {@link Capabilities#blocking} is set, and never throws at the call. Its stage completes
 *       on any thread, with a reply or with a {@link StoreException} that says whether the request may have been applied;
 *       any other failure counts as {@link StoreException.Effect#UNKNOWN}. The engine times calls out by itself; it still
 *       learns from a later answer.
 *   <li>The server's clock is read once, after the record was got, and decides {@code notAfter}, expiry, the new lease, and
 *       the time in the reply, which is positive.
 *   <li>No lock of the store's own is held while a stage is completed or a signal given: the engine may call back.
 *   <li>Nothing in it waits for another name: a bad key or a dead node fails its own requests alone.
 * </ol>
 *
 * <p>All methods may be called by many threads at once, also before the store can be reached (they fail then) and after
 * {@link #close} (they fail then, too).
 */
public interface LockStore extends AutoCloseable {

    /** What this store can do. Constant. */
    Capabilities capabilities();

    /** Where this store is, for error texts; never with a password. */
    String describe();

    /** What it counts; empty if it counts nothing, and then {@link Share.Mode#PERMITS} is no mode of it either. */
    default Optional<CounterStore> counters() {
        return Optional.empty();
    }

    /** How it takes several names by one request; empty if it takes each by its own. */
    default Optional<TogetherStore> together() {
        return Optional.empty();
    }

    /**
     * Returns the clock of the server that keeps the name. The engine feeds it with the times in the replies. A store whose names
     * move between servers feeds the clock of each server itself, and returns it {@linkplain ServerClock#readOnly read-only}.
     */
    ServerClock clock(String name);

    /**
     * Takes the name for a tenure, if it is free.
     *
     * <p>Decided in this order:
     * <ol>
     *   <li>The server's time is past {@link Acquire#notAfter}: {@link Acquire.Late}, and nothing is written.
     *   <li>The tenure holds the name: {@link Acquire.Granted} with a new, higher token block; its lease ends at the later
     *       of the present end and the new one, so that a late copy shortens nothing.
     *   <li>The name is free, but a {@linkplain Acquire.Queueing#FAIR fair} place came before the tenure: the queue is
     *       served, as by a release.
     *   <li>The name is still free: granted; the tenure's place in the queue, if it has one, is removed.
     *   <li>Another tenure holds it: {@link Acquire.Refused}. With {@link Acquire#queueing} the tenure gets a place in the
     *       queue, by its {@link Acquire#arrival} if it had one before; a new place is told to the holder's client, if
     *       that is another one, by {@link Signal.Wanted}. Asking again refreshes the place; one that is not refreshed for
     *       a minute may be dropped. A store with a queue tells the same of everybody else who is refused, each time, but only to
     *       a holder whose tenure may {@linkplain TenureId#lingers linger}.
     * </ol>
     *
     * <p>Permits of a semaphore are free as long as fewer are held than there are. Whatever is free is first for those who
     * wait, as long as there is enough for the first of them; after that a {@linkplain Acquire.Queueing#FAIR fair} request
     * is refused if anybody came before it, any other only if a fair place did. A request for more than there are in all, or
     * for some of a semaphore that was given none, fails as {@link StoreException.Effect#REFUSED}.
     *
     * <p>Unless the request was late, {@link Acquire#behind} get fair places after that, in their order.
     *
     * <p>A place belongs to one tenure. A client has one barging place at most for each mode but {@link Share.Mode#READ},
     * not counting those beside other tenures, and as many others as it likes.
     *
     * <p><b>Read/write locks.</b> {@link Share} says who stands in the way: for a writer all who hold the name, for a reader
     * who writes; but never {@link Share#beside}. A reader that is not beside a writer does not pass a writer that came
     * before it and waits. {@linkplain Share.Mode#UPGRADE One} among those who read may write later: beside that tenure a
     * {@linkplain Share#isUpgrade writer} has the first place in the queue, whenever it came, and is told by
     * {@link Signal.Freed} when nobody else reads; if that tenure holds nothing any more it is refused, with
     * {@link StoreException.Effect#REFUSED}. Each tenure ends with its own lease. What is held as a lock is refused as
     * a read/write lock, with {@link StoreException.Effect#REFUSED}, and the reverse. A waiting place is told to all who hold
     * the name, also to its own client. What was written here and is written below of the one holder and of a free name is
     * true of those who stand in the way.
     */
    CompletionStage<Acquire.Reply> acquire(Acquire request);

    /**
     * Sets the leases of held tenures anew, each by itself: to the later of the present end and the new one.
     *
     * <p>With a {@linkplain Renew#floor floor} the tokens that are given for the name from then on are above it, whoever
     * gets them; a floor below the last token changes nothing. Nothing is changed for a tenure that does not hold the name.
     *
     * <p>A batch holds names of one {@link #clock} and one {@link Renew#safety} only, so that a silent server delays its own
     * names alone, and a replica those that want it.
     *
     * @return one reply for each request, in their order; the stage itself fails if one cause
     *     stopped them all
     */
    CompletionStage<List<Renew.Reply>> renew(List<Renew> batch);

    /**
     * Gives the name up for a tenure, and withdraws its place in the queue; changes no hold and no place of others.
     *
     * <p>In every case, if the name is free after that and somebody waits, exactly one waiting client is served, so that a
     * client which was woken for nothing passes the wake-up on by withdrawing: with
     * {@link Release#yield} the name is assigned to the first live place for at most one claim window (1 s), or for
     * the lease of that place if it is shorter, and told by
     * {@link Signal.Assigned}; otherwise the first live place is removed and told by {@link Signal.Freed}. A place whose
     * client is known to be gone is dropped and the next one served.
     *
     * <p>A {@linkplain Acquire.Queueing#FAIR fair} place is never woken; the name is assigned to it in any case. A client that
     * lets a claim window lapse to which a fair place brought it loses its other fair places, so that it costs others one
     * window, however many it had; they come back when it asks again.
     *
     * <p>In a read/write lock the name is assigned to the first place in any case, as one side could else overtake the other
     * for ever; and behind a reader to all readers that follow. A release or withdrawal may serve them, too, though others go
     * on reading.
     *
     * <p>Permits of a semaphore are always assigned, one place after the other, as long as there are enough for the next.
     *
     * <p>{@link Release#places} are withdrawn, too.
     */
    CompletionStage<Release.Reply> release(Release request);

    /**
     * Frees the name whoever holds it, tells the holder by {@link Signal.Revoked}, and serves the first waiter.
     *
     * <p>A second copy would free the name of the next holder; the engine sends one only.
     *
     * @return who held it
     */
    CompletionStage<Optional<LockReport.Holder>> forceRelease(String name);

    /**
     * Who holds the name and who waits. A store with signals asks the holder's client, for at most 200 ms, what its
     * {@link StoreConfig#describer} says; what is not told stays empty.
     */
    CompletionStage<LockReport> inspect(String name);

    /** The held or awaited names that begin with the prefix, in no order. */
    CompletionStage<List<LockReport>> list(String prefix);

    /**
     * Proves that signals arrive: completes when something sent by the store <em>after</em> this call was made has come
     * back on the way that signals take. Fails if the store sends no signals.
     */
    CompletionStage<Void> confirmSignals();

    /** Ends connections and threads. Requests under way fail; nothing is released by itself. */
    @Override
    void close();
}
