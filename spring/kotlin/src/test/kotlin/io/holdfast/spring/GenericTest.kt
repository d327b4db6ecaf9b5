package io.holdfast.spring

import io.holdfast.Holdfast
import io.holdfast.recipes.LeaderElection
import java.util.UUID
import java.util.concurrent.CopyOnWriteArrayList
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.getBean
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration

/** An annotation applies to a method of a generic interface, which is called by a bridge method. */
class GenericTest {

    interface Handler<T, R> {
        fun handle(order: T, body: () -> Boolean): Boolean

        suspend fun ship(order: T, body: () -> Boolean): Boolean

        fun report(day: T): R

        fun send(message: T): R

        fun runs(): List<String>
    }

    /** Its functions that return Unit return nothing, but their bridge methods return an object. */
    open class Orders : Handler<Long, Unit> {

        private val runs = CopyOnWriteArrayList<String>()

        @Locked("orders/#{#order}")
        override fun handle(order: Long, body: () -> Boolean) = body()

        @Locked("orders/#{#order}")
        override suspend fun ship(order: Long, body: () -> Boolean): Boolean {
            delay(1)
            return body()
        }

        @RunOnce(name = "report", every = "1h")
        override fun report(day: Long) {
            runs.add("report")
        }

        @LeaderOnly("outbox")
        override fun send(message: Long) {
            runs.add("send")
        }

        override fun runs() = runs
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    open class Shop {
        @Bean open fun orders() = Orders()
    }

    private val uri = "memory:" + UUID.randomUUID()

    private fun start(classProxies: Boolean): ConfigurableApplicationContext =
        SpringApplicationBuilder(Shop::class.java)
            .web(WebApplicationType.NONE)
            .properties("holdfast.uri=$uri", "spring.aop.proxy-target-class=$classProxies")
            .run()

    @Test
    fun locksMethodOfGenericInterface() {
        for (classProxies in listOf(true, false)) {
            start(classProxies).use { application ->
                Holdfast.connect(uri).use { other ->
                    val handler = application.getBean<Handler<Long, Unit>>()
                    assertThat(handler.handle(7) { other.lock("orders/7").isLocked }).isTrue()
                    val shipped = runBlocking { withTimeout(20_000) { handler.ship(8) { other.lock("orders/8").isLocked } } }
                    assertThat(shipped).isTrue()
                    assertThat(other.list("orders/")).isEmpty()
                }
            }
        }
    }

    @Test
    fun runsMethodOfGenericInterfaceOnce() {
        for (classProxies in listOf(true, false)) {
            start(classProxies).use { application ->
                val handler = application.getBean<Handler<Long, Unit>>()
                repeat(3) { handler.report(1) }
                assertThat(handler.runs()).containsExactly("report")
                application.getBean<Holdfast>().lock("report").forceUnlock()
            }
        }
    }

    @Test
    fun doesNotRunMethodOfGenericInterfaceWhileAnotherClientLeads() {
        Holdfast.connect(uri).use { other ->
            LeaderElection.of(other, "outbox").campaign().use { leadership ->
                for (classProxies in listOf(true, false)) {
                    start(classProxies).use { application ->
                        val handler = application.getBean<Handler<Long, Unit>>()
                        handler.send(1)
                        assertThat(handler.runs()).isEmpty()
                    }
                }
                assertThat(leadership.isValid).isTrue()
            }
        }
    }
}
