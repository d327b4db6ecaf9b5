package io.holdfast.spi;

import io.holdfast.LockReport;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store that keeps locks for many clients, as one client uses it over its connection.
 *
 * <h2>Rules for every operation</h2>
 * <ol>
 *   <li>It is atomic, is decided by one clock (rule 3), and can be repeated. A second copy of a request has no further
 *       effect.
 *   <li>It returns at once, unless {@link Capabilities#blocking} is set, and never throws at the call. Its stage completes on
 *       any thread, with a reply or with a {@link StoreException} that states whether the request may have been applied. Any
 *       other failure counts as {@link StoreException.Effect#UNKNOWN}. The engine times out calls itself, and also uses a later
 *       answer.
 *   <li>It reads the server's clock once, after it has obtained the record. So waiting for the record does not extend
 *       {@code notAfter}. That time decides {@code notAfter}, expiry and the new lease. It is also the time in the reply, which
 *       is positive. A store whose server has no clock uses its own; see {@link ServerClock}.
 *   <li>It holds no lock of the store itself while it completes a stage or sends a signal, because the engine may call back.
 *   <li>It never waits for another name. A bad key or a dead node fails only its own requests.
 * </ol>
 *
 * <p>Many threads may call all methods at once. Calls before the store can be reached fail, and so do calls after
 * {@link #close}.
 */
public interface LockStore extends AutoCloseable {

    /** Returns the capabilities of this store, which are constant. */
    Capabilities capabilities();

    /** Returns the location of this store for error texts, never with a password. */
    String describe();

    /**
     * Returns the counters of this store. The result is empty if it has none; then {@link Share.Mode#PERMITS} is not one of its
     * modes.
     */
    default Optional<CounterStore> counters() {
        return Optional.empty();
    }

    /** Returns the operations that acquire several names by one request; empty if each name needs its own request. */
    default Optional<TogetherStore> together() {
        return Optional.empty();
    }

    /**
     * Returns the clock of the server that keeps the name.
     *
     * <p>The engine feeds it with the times in the replies. A store whose names move between servers feeds the clock of each
     * server itself, and returns it {@linkplain ServerClock#readOnly read-only}.
     */
    ServerClock clock(String name);

    /**
     * Acquires the name for a tenure, if it is free.
     *
     * <p>The decision is made in this order:
     * <ol>
     *   <li>The server's time is past {@link Acquire#notAfter}: the reply is {@link Acquire.Late}, and nothing is written.
     *   <li>The tenure holds the name: the reply is {@link Acquire.Granted} with a new, higher token block. Its lease ends at
     *       the later of the present end and the new one, so a late duplicate shortens nothing.
     *   <li>The name is free, but a {@linkplain Acquire.Queueing#FAIR fair} position is ahead of the tenure: the queue is
     *       served, as by a release.
     *   <li>The name is still free: it is granted. If the tenure has a position in the queue, the position is removed.
     *   <li>Another tenure holds it: the reply is {@link Acquire.Refused}. With {@link Acquire#queueing} the tenure gets a
     *       position in the queue, by its {@link Acquire#arrival} if it had one before. If the holder is another client, that
     *       client is notified of a new position by {@link Signal.Wanted}. Asking again refreshes the position. A position that
     *       is not refreshed for a minute may be dropped. A store that pushes signals also sends {@link Signal.Wanted} for every
     *       other refused request, each time, but only if the holder's tenure may {@linkplain TenureId#lingers linger}.
     * </ol>
     *
     * <p>Permits of a semaphore are free as long as fewer are held than the semaphore has. Free permits go to the waiters
     * first, as long as there are enough for the first of them. After that, a {@linkplain Acquire.Queueing#FAIR fair} request
     * is refused if any waiter is ahead of it. Any other request is refused only if a fair position is ahead of it. A request
     * fails as {@link StoreException.Effect#REFUSED} if it asks for more permits than there are in all, or if the semaphore has
     * no number of permits.
     *
     * <p>Unless the request was late, {@link Acquire#behind} then get fair positions, in their order.
     *
     * <p>A position belongs to one tenure. A client has at most one barging position for each mode except
     * {@link Share.Mode#READ}. Positions beside other tenures do not count. The number of its fair positions is
     * limited by {@link Capabilities#fairPlaces}, and that of its other positions is not.
     *
     * <p><b>Read/write locks.</b> {@link Share} defines the conflicts. A writer conflicts with all holders of the name, and a
     * reader conflicts with a writer; but a share never conflicts with {@link Share#beside}. A reader that is not beside a
     * writer does not pass a writer that arrived before it and waits. {@linkplain Share.Mode#UPGRADE One} of the readers may
     * write later. Beside that tenure, a {@linkplain Share#isUpgrade writer} has the first position in the queue, whenever it
     * arrived. It is notified by {@link Signal.Freed} when there is no other reader. If that tenure no longer holds anything,
     * the writer is refused, with {@link StoreException.Effect#REFUSED}. Each tenure ends with its own lease. A name that is
     * held as a lock is refused as a read/write lock, with {@link StoreException.Effect#REFUSED}, and the reverse. All holders
     * of the name are notified of a waiting position, including the waiter's own client. The statements about the one holder
     * and about a free name, above and below, apply to the conflicting holders.
     */
    CompletionStage<Acquire.Reply> acquire(Acquire request);

    /**
     * Renews the leases of held tenures, each one separately. A lease then ends at the later of its present end and the new
     * one.
     *
     * <p>With a {@linkplain Renew#floor floor}, all tokens that are issued for the name from then on are above it, for any
     * tenure. A floor below the last token changes nothing. Nothing is changed for a tenure that does not hold the name.
     *
     * <p>A batch contains only names of one {@link #clock}. So a silent server delays only its own names.
     *
     * @return one reply for each request, in their order; the stage itself fails if one cause stopped all of them
     */
    CompletionStage<List<Renew.Reply>> renew(List<Renew> batch);

    /**
     * Releases the name for a tenure, and withdraws its position in the queue. Holds and positions of others are not changed.
     *
     * <p>In every case, if the name is free afterwards and there are waiters, exactly one waiting client is served. So a client
     * that was woken in vain passes the wake-up on by withdrawing. With {@link Release#yield}, the name is assigned to the
     * first live position. The assignment lasts for one {@linkplain Capabilities#claimWindow claim window}, or for the lease of
     * that position if it is shorter. Its client is notified by {@link Signal.Assigned}. Otherwise, the first live position is
     * removed, and its client is notified by {@link Signal.Freed}. If the client of a position is known to be dead, the
     * position is dropped and the next one is served.
     *
     * <p>A {@linkplain Acquire.Queueing#FAIR fair} position is never woken. The name is assigned to it in any case. If a client
     * lets a claim window of a fair position lapse, it loses its other fair positions. So it costs the others one window,
     * however many positions it had. They return when it asks again.
     *
     * <p>In a read/write lock, the name is assigned to the first position in any case, because otherwise one side could starve
     * the other. If that is a reader, the name is also assigned to all readers that follow it. A release or withdrawal may
     * serve them even while other readers hold the name.
     *
     * <p>Permits of a semaphore are always assigned, to one position after the other, as long as there are enough for the next
     * one.
     *
     * <p>The positions of {@link Release#places} are also withdrawn.
     *
     * <p>After a release that was answered later than the {@link Acquire#notAfter} of a copy of the tenure's request, that copy
     * is never applied. A copy may have been decided before the release, and not have been written yet. So a store that reads,
     * decides and then writes also writes if the release found nothing. The write of the copy then fails, and the copy is
     * decided again, too late.
     */
    CompletionStage<Release.Reply> release(Release request);

    /**
     * Releases the name for any holder, notifies the holder by {@link Signal.Revoked}, and serves the first waiter.
     *
     * <p>A second copy would release the name for the next holder. So the engine sends only one copy.
     *
     * @return the former holder; empty if the name was free
     */
    CompletionStage<Optional<LockReport.Holder>> forceRelease(String name);

    /**
     * Returns the holders and the waiters of the name. A store with signals asks the holder's client for its
     * {@link StoreConfig#describer description}, for at most 200 ms. Details that are not reported stay empty.
     */
    CompletionStage<LockReport> inspect(String name);

    /** Returns the held or awaited names that begin with the prefix, in no particular order. */
    CompletionStage<List<LockReport>> list(String prefix);

    /**
     * Proves that signals arrive. The stage completes when a message that the store sent <em>after</em> this call has arrived
     * by the path of signals; or, at a store that {@linkplain Capabilities.Signals#LOOKED looks}, when a look that began after
     * this call was answered. It fails if the store sends no signals.
     */
    CompletionStage<Void> confirmSignals();

    /** Closes connections and ends threads. Requests under way fail. Nothing is released implicitly. */
    @Override
    void close();
}
