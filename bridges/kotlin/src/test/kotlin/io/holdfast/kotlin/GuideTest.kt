package io.holdfast.kotlin

import io.holdfast.Holdfast
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** The example of the documentation runs. */
class GuideTest {

    private val shipped = mutableListOf<Long>()

    private suspend fun ship(id: Long, token: Long): Boolean {
        assertThat(token).isPositive()
        return shipped.add(id)
    }

    // region kotlin
    private suspend fun shipLocked(holdfast: Holdfast): Boolean =
        holdfast.lock("orders/42").withLock(wait = 10.seconds) { lease -> ship(42, lease.fencingToken()) }

    private suspend fun shipIfFree(holdfast: Holdfast): Boolean =
        holdfast.lock("orders/42").tryWithLock { lease -> ship(42, lease.fencingToken()) } ?: false
    // endregion

    @Test
    fun theExampleRuns() = runBlocking {
        Holdfast.connect("memory:").use { holdfast ->
            assertThat(shipLocked(holdfast)).isTrue()
            assertThat(shipIfFree(holdfast)).isTrue()
            assertThat(shipped).containsExactly(42L, 42L)
        }
        Unit
    }
}
