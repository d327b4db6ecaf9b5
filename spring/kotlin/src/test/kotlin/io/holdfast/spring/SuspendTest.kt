package io.holdfast.spring

import io.holdfast.Holdfast
import io.holdfast.LeaseLostException
import io.holdfast.LockTimeoutException
import java.util.UUID
import kotlin.coroutines.EmptyCoroutineContext
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.assertThrows
import org.springframework.beans.factory.getBean
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration

/** A suspending function holds its lock until its coroutine ends, on whichever threads it runs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuspendTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    open class Shop {
        @Bean open fun orders() = Orders()
    }

    private val uri = "memory:" + UUID.randomUUID()
    private val application =
        SpringApplicationBuilder(Shop::class.java).web(WebApplicationType.NONE).properties("holdfast.uri=$uri").run()
    private val other = Holdfast.connect(uri)
    private val orders = application.getBean<Orders>()

    @AfterAll
    fun stop() {
        application.close()
        other.close()
    }

    @AfterEach
    fun nothingIsHeld() {
        assertThat(other.list("")).isEmpty()
    }

    private fun isLocked(id: Long) = other.lock("orders/$id").isLocked

    private fun test(body: suspend CoroutineScope.() -> Unit) = runBlocking(EmptyCoroutineContext) {
        withTimeout(20_000) { body() }
    }

    /** Runs the body while a foreign client holds the lock. */
    private suspend fun <T> whileHeld(id: Long, body: suspend () -> T): T = other.lock("orders/$id").acquire().use { body() }

    @Test
    fun theLockIsHeldUntilTheCoroutineEnds() = test {
        val result = orders.ship(42, 0) { token ->
            assertThat(token).isPositive()
            assertThat(isLocked(42)).isTrue()
            delay(20)
            assertThat(isLocked(42)).isTrue()
            "shipped"
        }
        assertThat(result).isEqualTo("shipped")
        assertThat(isLocked(42)).isFalse()
    }

    @Test
    fun aResultOfNullIsNotTakenForALockThatIsHeld() = test { assertThat(orders.ship(42, 0) { null }).isNull() }

    @Test
    fun theContextOfTheCallerReachesTheFunction() = test {
        withContext(CoroutineName("caller")) {
            assertThat(orders.ship(42, 0) { currentCoroutineContext()[CoroutineName]?.name }).isEqualTo("caller")
        }
    }

    @Test
    fun anExceptionOfTheFunctionReachesItsCaller() = test {
        assertThat(assertThrows<IllegalStateException> { orders.ship(42, 0) { error("out of stock") } })
            .hasMessage("out of stock")
    }

    @Test
    fun manyCoroutinesExcludeEachOther() = test {
        var inside = 0
        var most = 0
        var runs = 0
        val all = List(50) {
            launch {
                orders.ship(42, 0) {
                    most = maxOf(most, ++inside)
                    delay(1)
                    inside--
                    runs++
                    "shipped"
                }
            }
        }
        all.forEach { it.join() }
        assertThat(runs).isEqualTo(50)
        assertThat(most).isEqualTo(1)
    }

    @Test
    fun aLockThatIsHeldFailsTheFunctionAsItsAttributeSays() = test {
        whileHeld(42) {
            assertThat(assertThrows<LockTimeoutException> { orders.shipNow(42) }).hasMessageContaining("orders/42")
            assertThat(orders.shipIfFree(42)).isNull()
            assertThat(orders.shipOrQueue(42)).isEqualTo("queued 42")
        }
        assertThat(orders.shipNow(42)).isEqualTo("shipped 42")
        assertThat(orders.shipIfFree(42)).isEqualTo("shipped 42")
        assertThat(orders.shipOrQueue(42)).isEqualTo("shipped 42")
    }

    @Test
    fun aCancellationWithdrawsAWaitingFunction() = test {
        whileHeld(42) {
            val waiting = launch { orders.ship(42, 0) { "shipped" } }
            delay(20)
            waiting.cancelAndJoin()
        }
        while (isLocked(42)) delay(1)
    }

    @Test
    fun aCancellationReleasesTheLockOfARunningFunction() = test {
        val running = CompletableDeferred<Unit>()
        val call = launch {
            orders.ship(42, 0) {
                running.complete(Unit)
                awaitCancellation()
            }
        }
        running.await()
        call.cancelAndJoin()
        while (isLocked(42)) delay(1)
    }

    @Test
    fun aCancellationReleasesTheLockBeforeTheFunctionHasCleanedUp() = test {
        val running = CompletableDeferred<Unit>()
        val released = CompletableDeferred<Unit>()
        val call = launch {
            orders.ship(42, 0) {
                try {
                    running.complete(Unit)
                    awaitCancellation()
                } finally {
                    withContext(NonCancellable) { released.await() }
                }
            }
        }
        running.await()
        call.cancel()
        while (isLocked(42)) delay(1)
        released.complete(Unit)
        call.join()
    }

    @Test
    fun aLostLockFailsTheFunction() = test {
        assertThrows<LeaseLostException> {
            orders.ship(42, 0) {
                other.lock("orders/42").forceUnlock()
                awaitCancellation()
            }
        }
    }

    @Test
    fun aFlowHoldsTheLockWhileItIsCollected() = test {
        assertThat(orders.lines(42) { assertThat(isLocked(42)).isTrue() }.toList()).containsExactly("42/0", "42/1")
        assertThat(isLocked(42)).isFalse()
    }

    @Test
    fun aFlowOfASuspendingFunctionHoldsTheLockWhileItIsCollected() = test {
        assertThat(orders.linesLater(42) { assertThat(isLocked(42)).isTrue() }.toList()).containsExactly("42/0", "42/1")
        assertThat(isLocked(42)).isFalse()
    }
}
