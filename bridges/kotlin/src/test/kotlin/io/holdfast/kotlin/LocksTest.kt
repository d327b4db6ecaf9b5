package io.holdfast.kotlin

import io.holdfast.AsyncLock
import io.holdfast.DistributedLock
import io.holdfast.Holdfast
import io.holdfast.Lease
import io.holdfast.LeaseLostException
import io.holdfast.LockTimeoutException
import io.holdfast.StoreRefusedException
import io.holdfast.recipes.MultiLock
import io.holdfast.recipes.QuorumLock
import java.time.Duration as JavaDuration
import java.util.Optional
import java.util.UUID
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.assertThrows

@Tag("everywhere")
@Timeout(30)
class LocksTest {

    private val uri = "memory:${UUID.randomUUID()}"
    private val holdfast = Holdfast.connect(uri)
    private val other = Holdfast.connect(uri)
    private val lock: DistributedLock = holdfast.lock("a")
    private val rival: DistributedLock = other.lock("a")

    @AfterEach
    fun close() {
        holdfast.close()
        other.close()
    }

    private fun assertFree() = rival.acquire(JavaDuration.ofSeconds(10)).close()

    private suspend fun awaitWaiters(present: Boolean) {
        while (other.inspect("a").waiters().isEmpty() == present) delay(5)
    }

    // ---- result and error

    @Test
    fun theBodyRunsWhileTheLeaseIsHeldAndTheFunctionReturnsAfterTheRelease(): Unit = runBlocking {
        val token = lock.withLock { lease ->
            assertThat(lease.isValid).isTrue()
            assertThat(rival.tryAcquire()).isEmpty()
            lease.fencingToken()
        }
        assertThat(token).isPositive()
        assertThat(rival.isLocked).isFalse()
    }

    @Test
    fun theExceptionOfTheBodyIsThrownAfterTheRelease(): Unit = runBlocking {
        val error = BodyException(1)
        val thrown = assertThrows<BodyException> { runBlocking { lock.withLock { throw error } } }
        assertThat(thrown).isSameAs(error)
        assertThat(error.suppressed).isEmpty()
        assertThat(rival.isLocked).isFalse()
    }

    @Test
    fun aBodyCanReturnNull(): Unit = runBlocking {
        val nothing: String? = lock.withLock { null }
        assertThat(nothing).isNull()
    }

    @Test
    fun theContextOfTheCallerReachesTheBody(): Unit = runBlocking {
        withContext(CoroutineName("caller")) {
            lock.withLock { assertThat(currentCoroutineContext()[CoroutineName]?.name).isEqualTo("caller") }
        }
    }

    // ---- waiting

    @Test
    fun aWaitThatIsUpThrowsATimeout() {
        rival.acquire().use {
            assertThrows<LockTimeoutException> { runBlocking { lock.withLock(50.milliseconds) { "ran" } } }
        }
        assertFree()
    }

    @Test
    fun anAttemptOnAHeldLockReturnsNull(): Unit = runBlocking {
        rival.acquire().use {
            assertThat(lock.tryWithLock { "ran" }).isNull()
            assertThat(lock.tryWithLock(50.milliseconds) { "ran" }).isNull()
            assertThat(lock.async().tryWithLock(-Duration.INFINITE) { "ran" }).isNull()
        }
        assertThat(lock.tryWithLock { "ran" }).isEqualTo("ran")
    }

    @Test
    fun oneThreadServesManyContenders(): Unit = runBlocking {
        val inside = AtomicInteger()
        val results =
            List(50) {
                    async {
                        lock.withLock {
                            val now = inside.incrementAndGet()
                            delay(2)
                            inside.decrementAndGet()
                            now
                        }
                    }
                }
                .awaitAll()
        assertThat(results).hasSize(50).containsOnly(1)
    }

    // ---- cancellation

    @Test
    fun aCancellationWhileWaitingWithdrawsTheRequest(): Unit = runBlocking {
        val held = rival.acquire()
        val waiting = launch(Dispatchers.Default) { lock.withLock { error("must not run") } }
        awaitWaiters(present = true)
        waiting.cancelAndJoin()
        awaitWaiters(present = false)
        assertThat(held.isValid).isTrue()
        held.close()
        assertFree()
    }

    @Test
    fun aGrantThatArrivesDuringTheCancellationIsReleased(): Unit = runBlocking {
        val granted = CompletableDeferred<Lease>()
        val late = ChangedLock(lock.async()) { future ->
            object : CompletableFuture<Lease>() {
                override fun cancel(interrupt: Boolean): Boolean {
                    complete(future.join())
                    granted.complete(future.join())
                    return super.cancel(interrupt)
                }
            }
        }
        val waiting = launch(start = CoroutineStart.UNDISPATCHED) { late.withLock { error("must not run") } }
        waiting.cancelAndJoin()
        assertThat(granted.await().isValid).isFalse()
        assertFree()
    }

    @Test
    fun aGrantWhoseCoroutineIsCanceledBeforeItResumesIsReleased(): Unit = runBlocking {
        val executor = Executors.newSingleThreadExecutor()
        val started = CountDownLatch(1)
        val blocked = CountDownLatch(1)
        val answer = CompletableFuture<Lease>()
        val late = ChangedLock(lock.async()) { answer }
        val lease = lock.acquire()
        val waiting =
            launch(executor.asCoroutineDispatcher()) {
                launch(start = CoroutineStart.UNDISPATCHED) { late.withLock { error("must not run") } }
                started.countDown()
                blocked.await()
            }
        started.await()
        answer.complete(lease)
        waiting.cancel()
        blocked.countDown()
        waiting.join()
        assertThat(lease.isValid).isFalse()
        executor.shutdown()
    }

    @Test
    fun aCanceledCoroutineDoesNotAcquire(): Unit = runBlocking {
        var requests = 0
        val counted = ChangedLock(lock.async()) { requests++.let { _ -> it } }
        launch(start = CoroutineStart.UNDISPATCHED) {
                currentCoroutineContext().job.cancel()
                counted.withLock { error("must not run") }
            }
            .join()
        assertThat(requests).isZero()
    }

    @Test
    fun aCoroutineThatIsCanceledByTheTimeOfTheGrantDoesNotRunTheBody(): Unit = runBlocking {
        val granted = CompletableDeferred<Lease>()
        launch(start = CoroutineStart.UNDISPATCHED) {
                val job = currentCoroutineContext().job
                val late = ChangedLock(lock.async()) { future ->
                    granted.complete(future.join())
                    job.cancel()
                    future
                }
                late.withLock { error("must not run") }
            }
            .join()
        assertThat(granted.await().isValid).isFalse()
    }

    @Test
    fun aCanceledCoroutineEndsAfterTheRelease(): Unit = runBlocking {
        val answer = CompletableFuture<Void>()
        val lease =
            object : Lease by lock.acquire() {
                override fun closeAsync() = answer
            }
        val slow = ChangedLock(lock.async()) { it.cancel(false).run { CompletableFuture.completedFuture(lease) } }
        val body = launch(start = CoroutineStart.UNDISPATCHED) { slow.withLock { awaitCancellation() } }
        body.cancel()
        delay(50)
        assertThat(body.isCompleted).isFalse()
        answer.complete(null)
        body.join()
    }

    @Test
    fun aCancellationOfTheBodyReleasesBeforeTheCoroutineEnds(): Unit = runBlocking {
        val running = CompletableDeferred<Unit>()
        val body = launch {
            lock.withLock {
                running.complete(Unit)
                awaitCancellation()
            }
        }
        running.await()
        body.cancelAndJoin()
        assertThat(rival.isLocked).isFalse()
    }

    @Test
    fun aTimeoutOfTheCallerCancelsTheBodyAndReleases(): Unit = runBlocking {
        assertThrows<CancellationException> {
            runBlocking { withTimeout(50) { lock.withLock { awaitCancellation() } } }
        }
        assertFree()
    }

    // ---- loss

    @Test
    fun aLossCancelsTheBodyAndIsThrown() {
        var canceled = false
        assertThrows<LeaseLostException> {
            runBlocking {
                lock.withLock {
                    rival.forceUnlock()
                    try {
                        awaitCancellation()
                    } finally {
                        canceled = true
                    }
                }
            }
        }
        assertThat(canceled).isTrue()
    }

    @Test
    fun aBodyThatIgnoresItsCancellationCannotTurnALossIntoASuccess() {
        assertThrows<LeaseLostException> {
            runBlocking {
                lock.withLock { lease ->
                    withContext(NonCancellable) {
                        rival.forceUnlock()
                        while (lease.isValid) delay(5)
                    }
                    "success"
                }
            }
        }
    }

    @Test
    fun aBodyThatReturnsBeforeTheLossIsNoticedThrowsIt() {
        assertThrows<LeaseLostException> { runBlocking { lock.withLock { rival.forceUnlock() } } }
    }

    @Test
    fun theFailureOfTheReleaseIsSuppressedInTheExceptionOfTheBody() {
        val lost = LeaseLostException("a", 1, "planned")
        val failing = LeaseKind<String>({ CompletableFuture.failedFuture(lost) }) { _, _ -> }
        val thrown =
            assertThrows<BodyException> {
                runBlocking {
                    failing.hold<String, Unit>({ CompletableFuture.completedFuture("lease") }, { it }, {}) {
                        throw BodyException(1)
                    }
                }
            }
        assertThat(thrown.suppressed).containsExactly(lost)
    }

    // ---- other kinds

    @Test
    fun aMultiLockHoldsEachMember(): Unit = runBlocking {
        val second = holdfast.lock("b")
        val both = MultiLock.of(lock, second)
        val held = both.withLock { lease -> lease.isValid && rival.isLocked && second.isLocked }
        assertThat(held).isTrue()
        assertThat(rival.isLocked || second.isLocked).isFalse()
        rival.acquire().use { assertThat(both.tryWithLock { "ran" }).isNull() }
        assertThat(both.tryWithLock(20.seconds) { "ran" }).isEqualTo("ran")
    }

    @Test
    fun aQuorumLockIsHeldWhileTheBodyRuns(): Unit = runBlocking {
        Holdfast.connect("${uri}2").use { second ->
            Holdfast.connect("${uri}3").use { third ->
                val quorum = QuorumLock.of(listOf(holdfast, second, third), "q")
                assertThat(quorum.async().withLock { lease -> lease.heldAt() }).isPositive()
                assertThat(quorum.tryAcquire()).isPresent()
            }
        }
    }

    @Test
    fun permitsAreHeldWhileTheBodyRuns(): Unit = runBlocking {
        val semaphore = holdfast.semaphore("s")
        assertThrows<StoreRefusedException> { runBlocking { semaphore.withPermit { "ran" } } }
        semaphore.setPermits(3)
        assertThat(semaphore.withPermit(2) { semaphore.available() }).isEqualTo(1)
        assertThat(semaphore.available()).isEqualTo(3)
        assertThrows<LeaseLostException> {
            runBlocking { semaphore.withPermit { permit -> semaphore.release(permit.id()) } }
        }
    }

    @Test
    fun aWaitForPermitsThatIsUpThrowsATimeoutOrReturnsNull(): Unit = runBlocking {
        val semaphore = holdfast.semaphore("s")
        semaphore.setPermits(1)
        semaphore.acquire().use {
            assertThat(semaphore.tryWithPermit { "ran" }).isNull()
            val late =
                assertThrows<LockTimeoutException> {
                    runBlocking { semaphore.withPermit(wait = 50.milliseconds) { "ran" } }
                }
            assertThat(late).hasMessageContaining("semaphore 's': 1 permit(s) were not acquired within 50ms")
        }
        assertThat(semaphore.tryWithPermit { "ran" }).isEqualTo("ran")
    }

    @Test
    fun aWaitWithoutALimitForPermitsEndsWhenTheyAreReleased(): Unit = runBlocking {
        val semaphore = holdfast.semaphore("s")
        semaphore.setPermits(1)
        val held = semaphore.acquire()
        val waiting = async { semaphore.withPermit { "ran" } }
        delay(50)
        assertThat(waiting.isCompleted).isFalse()
        held.close()
        assertThat(waiting.await()).isEqualTo("ran")
    }

    @Test
    fun aNumberOfPermitsBelowOneIsRefused() {
        val semaphore = holdfast.semaphore("s")
        assertThrows<IllegalArgumentException> { runBlocking { semaphore.withPermit(0) { "ran" } } }
    }
}

/** A lock whose requests a test replaces, to force a race. */
private class ChangedLock(
    private val real: AsyncLock<Lease>,
    private val change: (CompletableFuture<Lease>) -> CompletableFuture<Lease>,
) : AsyncLock<Lease> {
    override fun acquire(): CompletableFuture<Lease> = change(real.acquire())

    override fun acquire(wait: JavaDuration): CompletableFuture<Lease> = change(real.acquire(wait))

    override fun tryAcquire(): CompletableFuture<Optional<Lease>> = throw UnsupportedOperationException()

    override fun tryAcquire(wait: JavaDuration): CompletableFuture<Optional<Lease>> =
        throw UnsupportedOperationException()

    override fun tryAcquire(wait: JavaDuration, lease: JavaDuration): CompletableFuture<Optional<Lease>> =
        throw UnsupportedOperationException()
}

/** An exception that coroutines do not copy, because they do not know how to create one. */
private class BodyException(val code: Int) : Exception("body failed: $code")
