package io.holdfast.spi;

import io.holdfast.LockReport;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The access of one client to a store, which keeps locks for many clients. A name has 1 to 512 bytes of UTF-8.
 *
 * <h2>Rules for every operation</h2>
 * <ol>
 *   <li>It is atomic and idempotent: a second copy of a request has no further effect. One clock decides it (rule 3).
 *   <li>It returns at once, unless {@link Capabilities#blocking} is set. It never throws: a failure completes the stage. The
 *       stage completes on any thread, with a reply or with a {@link StoreException} that states whether the request may have
 *       been applied. Any other failure counts as {@link StoreException.Effect#UNKNOWN}. The engine has a timeout of its own
 *       for each call, and also uses an answer that arrives after it.
 *   <li>It reads the server's clock once, after it has obtained the record. So waiting for the record does not extend
 *       {@code notAfter}. That time decides {@code notAfter}, expiry and the new lease. It is also the time in the reply, which
 *       is positive. A store whose server has no clock uses its own; see {@link ServerClock}.
 *   <li>It holds no lock of the store itself while it completes a stage or sends a signal, because the engine may call back.
 *   <li>It never waits because of another name. A bad key or a dead node fails only its own requests.
 * </ol>
 *
 * <p>All methods are thread-safe. A call fails if the store cannot be reached yet, and after {@link #close}.
 *
 * <p>On leases, see C. Gray and D. Cheriton, "Leases: an efficient fault-tolerant mechanism for distributed file cache
 * consistency", SOSP 1989.
 */
public interface LockStore extends AutoCloseable {

    /** Returns the capabilities of this store, which are constant. */
    Capabilities capabilities();

    /** Returns the location of this store for error texts, never with a password. */
    String describe();

    /** Returns the counters of this store, for semaphores and latches. */
    CounterStore counters();

    /**
     * Returns the clock of the server that keeps the name.
     *
     * <p>The engine passes the times in the replies to this clock. A store whose names move between servers does that itself
     * for the clock of each server, and returns a {@linkplain ServerClock#readOnly read-only} view.
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
     *       position in the queue. If it had one before, its {@link Acquire#arrival} determines the position. If the holder is
     *       another client, that client is notified of a new position by {@link Signal.Wanted}. A repeated request refreshes
     *       the position. A position that is not refreshed for a minute may be dropped. If the holder's tenure may
     *       {@linkplain TenureId#lingers linger}, a store that pushes signals also sends {@link Signal.Wanted} for every other
     *       refused request, each time.
     * </ol>
     *
     * <p>Permits of a semaphore are free as long as fewer are held than the semaphore has. Free permits go to the waiters
     * first, as long as there are enough for the first of them. After that, a {@linkplain Acquire.Queueing#FAIR fair} request
     * is refused if any waiter is ahead of it. Any other request is refused only if a fair position is ahead of it. A request
     * fails as {@link StoreException.Effect#REFUSED} if it asks for more permits than there are in all, or if the semaphore has
     * no number of permits.
     *
     * <p>After the decision, {@link Acquire#behind} get fair positions in their order, unless the request was late.
     *
     * <p>A position belongs to one tenure. A client has at most one barging position for each mode except
     * {@link Share.Mode#READ}. {@link Capabilities#fairPlaces} limits the number of a client's fair positions. The number of its
     * other positions has no limit.
     *
     * <p><b>Read/write locks:</b>
     * <ul>
     *   <li>{@link Share} defines the conflicts. A writer conflicts with all holders of the name. A reader conflicts with a
     *       writer. However, a reader never conflicts with the writer that it is {@link Share#beside}.
     *   <li>A reader does not barge ahead of a waiting writer that arrived before it, unless the reader is beside a writer.
     *   <li>Each tenure ends with its own lease.
     *   <li>A request for a read/write lock fails as {@link StoreException.Effect#REFUSED} if the name is held as a lock, and
     *       the reverse.
     *   <li>All holders of the name are notified of a waiting position, including the waiter's own client.
     *   <li>The rules above and below about the one holder and about a free name apply to the conflicting holders.
     * </ul>
     */
    CompletionStage<Acquire.Reply> acquire(Acquire request);

    /**
     * Renews the leases of held tenures, each one separately. A lease then ends at the later of its present end and the new
     * one.
     *
     * <p>With a {@linkplain Renew#floor floor}, all tokens that are issued for the name from then on are above it, for any
     * tenure. A floor below the last token changes nothing. Nothing is changed for a tenure that does not hold the name.
     *
     * <p>A batch contains only names of one {@link #clock}. So a server that does not answer delays only its own names.
     *
     * @return one reply for each request, in their order; the stage itself fails if all requests failed for one cause
     */
    CompletionStage<List<Renew.Reply>> renew(List<Renew> batch);

    /**
     * Releases the name for a tenure, and withdraws its position in the queue. Holds and positions of others are not changed.
     *
     * <p>In every case, if the name is then free and there are waiters, exactly one waiting client is served. So a client that
     * was woken and withdraws passes the wake-up on to the next client. With {@link Release#yield}, the name is assigned to the
     * first live position. The assignment lasts for one {@linkplain Capabilities#claimWindow claim window}, or for the lease of
     * that position if it is shorter. Its client is notified by {@link Signal.Assigned}. Otherwise, the first live position is
     * removed, and its client is notified by {@link Signal.Freed}. If the client of a position is known to be dead, the
     * position is dropped and the next one is served.
     *
     * <p>A {@linkplain Acquire.Queueing#FAIR fair} position is never woken. The name is assigned to it in any case. If a client
     * lets a claim window of a fair position lapse, it loses its other fair positions. So it delays the other clients by only
     * one window, for any number of positions. It gets its positions back when it requests them again.
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
     * <p>A release is repeated if its answer is missing, and the repeated one usually finds that the tenure does not hold the name.
     * A store that {@linkplain Capabilities#marksReleases marks releases} then says whether the hold was {@linkplain
     * Release.Reply#lost lost}. If an earlier copy was applied, it never says so. If a loss cannot be told apart from that, for
     * example because others have released the name since, it does not say so either.
     *
     * <p>After a release that was answered later than the {@link Acquire#notAfter} of a copy of the tenure's request, that copy
     * is never applied. A copy may have been decided before the release, but not have been written yet. So a store that reads,
     * decides and then writes (compare-and-set) also writes if the release found nothing. The write of the copy then fails. The
     * copy is decided again, and is then too late.
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
     * Returns the holders and the waiters of the name. A store that pushes signals asks the holder's client for its
     * {@link StoreConfig#describer description}, for at most 200 ms. Details that are not reported stay empty.
     */
    CompletionStage<LockReport> inspect(String name);

    /** Returns the held or awaited names that begin with the prefix, in no particular order. */
    CompletionStage<List<LockReport>> list(String prefix);

    /**
     * Proves that signals arrive. The stage completes when a message that the store sent <em>after</em> this call has arrived
     * by the path of signals. At a store that {@linkplain Capabilities.Signals#LOOKED scans its records}, it completes when a
     * scan that began after this call was answered. It fails if this client receives no signals.
     */
    CompletionStage<Void> confirmSignals();

    /** Closes connections and ends threads. Requests under way fail. Nothing is released implicitly. */
    @Override
    void close();
}
