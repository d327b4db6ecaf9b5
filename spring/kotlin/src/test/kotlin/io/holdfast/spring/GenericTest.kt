package io.holdfast.spring

import io.holdfast.Holdfast
import java.util.UUID
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

/** A method of a generic interface, which is called by a bridge method, has its lock. */
class GenericTest {

    interface Handler<T> {
        fun handle(order: T, body: () -> Boolean): Boolean

        suspend fun ship(order: T, body: () -> Boolean): Boolean
    }

    open class Orders : Handler<Long> {

        @Locked("orders/#{#order}")
        override fun handle(order: Long, body: () -> Boolean) = body()

        @Locked("orders/#{#order}")
        override suspend fun ship(order: Long, body: () -> Boolean): Boolean {
            delay(1)
            return body()
        }
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
                    val handler = application.getBean<Handler<Long>>()
                    assertThat(handler.handle(7) { other.lock("orders/7").isLocked }).isTrue()
                    val shipped = runBlocking { withTimeout(20_000) { handler.ship(8) { other.lock("orders/8").isLocked } } }
                    assertThat(shipped).isTrue()
                    assertThat(other.list("")).isEmpty()
                }
            }
        }
    }
}
