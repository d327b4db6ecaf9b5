@file:JvmName("Locks")

package io.holdfast.kotlin

import io.holdfast.AsyncLock
import io.holdfast.DistributedLock
import io.holdfast.IndeterminateLockException
import io.holdfast.Lease
import io.holdfast.LeaseLostException
import io.holdfast.LockTimeoutException
import io.holdfast.StoreUnavailableException
import io.holdfast.recipes.MultiLease
import io.holdfast.recipes.MultiLock
import java.util.Optional
import kotlin.jvm.optionals.getOrNull
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * Runs the body while a lease is held, and returns its result.
 *
 * ```
 * val receipt = holdfast.lock("orders/42").withLock(10.seconds) { lease -> ship(42, lease.fencingToken()) }
 * ```
 *
 * The owner is the lease, not the thread or the coroutine. So the body may change threads, and the lock is not reentrant: a
 * call inside the body for the same lock waits for the outer one. When the lock is held by another owner, the function
 * suspends, at most for [wait]. No thread is blocked.
 *
 * **The end of the body**, by a result or by an exception, releases the lease. The function returns when the release has
 * ended, which takes at most the command timeout, even if the coroutine is canceled. If the release fails after the body
 * returned, its exception is thrown. If it fails after an exception of the body, it is added to that exception as suppressed.
 *
 * **A cancellation** while waiting withdraws the request, and releases a grant that arrives in the same moment. A cancellation
 * of the body releases the lease.
 *
 * **A loss** of the hold cancels the body, and the function throws [LeaseLostException]. It never returns a result of a hold
 * that is known to be lost. The body runs on until its next suspension point, so send [Lease.fencingToken] with each write.
 *
 * **Threads.** The body runs in the context of the caller. With `Dispatchers.Unconfined`, it runs on threads of the client,
 * which must not be blocked. [Lease.ensureValid], [Lease.extend] and [Lease.close] block, so call them within `Dispatchers.IO`.
 *
 * Import `io.holdfast.kotlin.withLock`. The function `kotlin.concurrent.withLock` also accepts this lock, but it blocks the
 * thread, and makes the thread the owner.
 *
 * @param wait the maximum time to wait for the lock; zero or less means not to wait; infinite by default
 * @param body the work, which is given the lease
 * @throws LockTimeoutException if others held the lock for the whole time
 * @throws LeaseLostException if the hold was lost; the body may have run
 * @throws StoreUnavailableException if the store did not answer; nothing is acquired
 * @throws IndeterminateLockException if it is not known whether the lock was granted; any grant is released in the background
 * @throws IllegalStateException if the client is closed
 */
public suspend fun <T> DistributedLock.withLock(wait: Duration = Duration.INFINITE, body: suspend (Lease) -> T): T =
    async().withLock(wait, body)

/**
 * Runs the body like [withLock] if the lock becomes free within the given time, and returns its result.
 *
 * @param wait the maximum time to wait for the lock; zero or less means not to wait, which is the default
 * @param body the work, which is given the lease
 * @return the result of the body; `null` if others held the lock for the whole time, and the body did not run
 */
public suspend fun <T : Any> DistributedLock.tryWithLock(
    wait: Duration = Duration.ZERO,
    body: suspend (Lease) -> T,
): T? = async().tryWithLock(wait, body)

/** Runs the body while a lease of any lock is held, for example of a quorum lock; see [DistributedLock.withLock]. */
public suspend fun <L : Lease, T> AsyncLock<L>.withLock(wait: Duration = Duration.INFINITE, body: suspend (L) -> T): T =
    leases<L>().hold({ acquire(wait.toJavaDuration()) }, { it }, ::neverBusy, body)

/** Runs the body if the lock becomes free within the given time; see [DistributedLock.tryWithLock]. */
public suspend fun <L : Lease, T : Any> AsyncLock<L>.tryWithLock(
    wait: Duration = Duration.ZERO,
    body: suspend (L) -> T,
): T? = leases<L>().hold({ tryAcquire(wait.toJavaDuration()) }, Optional<L>::getOrNull, { null }, body)

/** Runs the body while all members are held; see [DistributedLock.withLock]. */
public suspend fun <T> MultiLock.withLock(wait: Duration = Duration.INFINITE, body: suspend (MultiLease) -> T): T {
    val lock = async()
    return multiLeases.hold({ lock.acquire(wait.toJavaDuration()) }, { it }, ::neverBusy, body)
}

/** Runs the body if all members become free within the given time; see [DistributedLock.tryWithLock]. */
public suspend fun <T : Any> MultiLock.tryWithLock(
    wait: Duration = Duration.ZERO,
    body: suspend (MultiLease) -> T,
): T? {
    val lock = async()
    return multiLeases.hold({ lock.tryAcquire(wait.toJavaDuration()) }, Optional<MultiLease>::getOrNull, { null }, body)
}

private val multiLeases = LeaseKind(MultiLease::closeAsync) { lease, action -> lease.onLost(action) }

/** Provides no result, because a request without an optional result never finds the lock held. */
private fun neverBusy(): Nothing = error("a request that has to end with a lease ended without one")
