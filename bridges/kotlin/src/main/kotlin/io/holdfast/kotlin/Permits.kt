@file:JvmName("Permits")

package io.holdfast.kotlin

import io.holdfast.DistributedSemaphore
import io.holdfast.LockTimeoutException
import io.holdfast.Permit
import io.holdfast.StoreRefusedException
import java.util.Optional
import kotlin.jvm.optionals.getOrNull
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * Runs the body while permits are held, and returns its result. It cancels, releases and reports a loss like
 * [DistributedLock.withLock][withLock].
 *
 * @param permits the number of permits, at least 1, which are held as one lease
 * @param wait the maximum time to wait for the permits; zero or less means not to wait; infinite by default
 * @param body the work, which is given the permit
 * @throws LockTimeoutException if too few permits became free within the given time
 * @throws StoreRefusedException if the semaphore has not been given permits, or has fewer in all
 * @throws IllegalArgumentException if the number of permits is less than 1
 */
public suspend fun <T> DistributedSemaphore.withPermit(
    permits: Int = 1,
    wait: Duration = Duration.INFINITE,
    body: suspend (Permit) -> T,
): T = hold(permits, wait, { throw timedOut(permits, wait) }, body)

/**
 * Runs the body like [withPermit] if the permits become free within the given time, and returns its result.
 *
 * @param permits the number of permits, at least 1, which are held as one lease
 * @param wait the maximum time to wait for the permits; zero or less means not to wait, which is the default
 * @param body the work, which is given the permit
 * @return the result of the body; `null` if too few permits became free, and the body did not run
 */
public suspend fun <T : Any> DistributedSemaphore.tryWithPermit(
    permits: Int = 1,
    wait: Duration = Duration.ZERO,
    body: suspend (Permit) -> T,
): T? = hold(permits, wait, { null }, body)

private suspend fun <T> DistributedSemaphore.hold(
    permits: Int,
    wait: Duration,
    ifBusy: () -> T,
    body: suspend (Permit) -> T,
): T =
    leases<Permit>()
        .hold({ async().tryAcquire(permits, wait.toJavaDuration()) }, Optional<Permit>::getOrNull, ifBusy, body)

private fun DistributedSemaphore.timedOut(permits: Int, wait: Duration) =
    LockTimeoutException(
        name(),
        "semaphore '${name()}': $permits permit(s) were not acquired within $wait, because others held too many",
    )
