package io.holdfast.kotlin

import io.holdfast.Holdfast
import io.holdfast.LeaseLostException
import io.holdfast.embedded.redis.RedisServer
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.assertThrows

/** Two clients of a real server. */
@Timeout(60)
class RedisTest {

    @Test
    fun theBodiesOfTwoClientsExcludeEachOtherAndALossIsThrown() {
        RedisServer.start().use { server ->
            Holdfast.connect(server.uri()).use { first ->
                Holdfast.connect(server.uri()).use { second ->
                    assertThat(contend(first, second)).hasSize(20).containsOnly(1)
                    assertThrows<LeaseLostException> {
                        runBlocking {
                            first.lock("a").withLock {
                                second.lock("a").forceUnlock()
                                awaitCancellation()
                            }
                        }
                    }
                }
            }
        }
    }

    private fun contend(first: Holdfast, second: Holdfast): List<Int> = runBlocking {
        val inside = AtomicInteger()
        List(20) {
                async(Dispatchers.Default) {
                    (if (it % 2 == 0) first else second).lock("a").withLock {
                        val now = inside.incrementAndGet()
                        delay(3)
                        inside.decrementAndGet()
                        now
                    }
                }
            }
            .awaitAll()
    }
}
