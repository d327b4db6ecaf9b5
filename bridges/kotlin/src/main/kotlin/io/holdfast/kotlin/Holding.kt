package io.holdfast.kotlin

import io.holdfast.Lease
import io.holdfast.LeaseLostException
import java.util.concurrent.CompletableFuture
import java.util.function.Consumer
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.future.await
import kotlinx.coroutines.job
import kotlinx.coroutines.withContext

/** The operations of a lease of type [L]. */
internal class LeaseKind<L>(
    val close: (L) -> CompletableFuture<Void>,
    val onLost: (L, Consumer<LeaseLostException>) -> Unit,
) {

    /**
     * Acquires the lease, runs the body, and releases the lease.
     *
     * The future of the request decides a race between the grant and the cancellation of the coroutine. It is either canceled,
     * which withdraws the request, or it completes with a lease, which is then released. So no lease is left without an owner
     * (orphan).
     *
     * @param request sends the request
     * @param lease finds the lease in the result of the request
     * @param ifBusy provides the result if the lock is held by another owner
     */
    suspend fun <R, T> hold(
        request: () -> CompletableFuture<R>,
        lease: (R) -> L?,
        ifBusy: () -> T,
        body: suspend (L) -> T,
    ): T {
        currentCoroutineContext().ensureActive()
        val held = lease(awaitOrRelease(request(), lease)) ?: return ifBusy()
        return runAndRelease(held, body)
    }

    private suspend fun <R> awaitOrRelease(future: CompletableFuture<R>, lease: (R) -> L?): R =
        try {
            future.await()
        } catch (e: Throwable) {
            if (!future.cancel(false) && !future.isCompletedExceptionally) {
                lease(future.join())?.let { releaseAfter(e, it) }
            }
            throw e
        }

    /**
     * Runs the body in a scope that the loss of the lease fails. The scope then throws the loss, whatever the body returns.
     *
     * The lease is released inside the scope, where the exception of the body is not yet replaced by a copy with the stack
     * trace of the caller.
     */
    private suspend fun <T> runAndRelease(lease: L, body: suspend (L) -> T): T = coroutineScope {
        val loss = CompletableDeferred<Unit>(coroutineContext.job)
        onLost(lease) { loss.completeExceptionally(it) }
        val result =
            try {
                ensureActive()
                body(lease)
            } catch (e: Throwable) {
                loss.complete(Unit)
                releaseAfter(e, lease)
                throw e
            }
        loss.complete(Unit)
        release(lease)
        result
    }

    /** Releases after an error. A failure of the release is suppressed in that error. */
    private suspend fun releaseAfter(error: Throwable, lease: L) {
        try {
            release(lease)
        } catch (failure: Exception) {
            if (failure !== error) {
                error.addSuppressed(failure)
            }
        }
    }

    /** Releases, even if the coroutine is canceled. The future completes after the command timeout at the latest. */
    private suspend fun release(lease: L) {
        withContext(NonCancellable) { close(lease).await() }
    }
}

/** Returns the operations of leases that are of a type of [Lease]. */
internal fun <L : Lease> leases(): LeaseKind<L> = LeaseKind({ it.closeAsync() }) { lease, action -> lease.onLost(action) }
