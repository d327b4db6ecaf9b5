package io.holdfast.spring

import java.io.File
import java.net.URLClassLoader
import java.util.UUID
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder

/** A suspending function that could not hold its lock fails the start. */
class InvalidSuspendTest {

    @EnableAutoConfiguration
    open class Empty

    open class Once {
        @RunOnce(name = "cleanup", every = "1h")
        open suspend fun cleanUp() = Unit
    }

    open class Leader {
        @LeaderOnly("outbox")
        open suspend fun publish() = Unit
    }

    open class Unknown {
        @Locked("orders/#{#nr}")
        open suspend fun ship(id: Long) = id
    }

    open class Continued {
        @Locked("orders/#{#a1}")
        open suspend fun ship(id: Long) = id
    }

    open class Leased {
        @Locked("orders/#{#id}", lease = "5s")
        open suspend fun ship(id: Long) = id
    }

    open class Blocking {
        @Locked("orders/#{#id}", onFailure = OnFailure.FALLBACK, fallback = "later")
        open suspend fun ship(id: Long) = id

        @Suppress("unused")
        open fun later(id: Long) = id
    }

    companion object {

        @JvmStatic
        fun failure(type: Class<*>): String {
            val application =
                SpringApplicationBuilder(Empty::class.java, type)
                    .web(WebApplicationType.NONE)
                    .properties("holdfast.uri=memory:" + UUID.randomUUID())
            var error: Throwable = assertThrows<Exception> { application.run().close() }
            while (error.cause != null) {
                error = error.cause!!
            }
            return error.message!!
        }
    }

    @Test
    fun aJobThatReturnsBeforeItsWorkEnds() {
        assertThat(failure(Once::class.java))
            .startsWith("@RunOnce at ")
            .endsWith("the method is a suspend function, which returns before its work ends; remove suspend")
        assertThat(failure(Leader::class.java)).startsWith("@LeaderOnly at ").contains("suspend function")
    }

    @Test
    fun aVariableThatIsNoArgument() {
        assertThat(failure(Unknown::class.java)).contains("no variable '#nr'; there are [#a0, #id, #p0, #root, #this]")
        assertThat(failure(Continued::class.java)).contains("no variable '#a1'")
    }

    @Test
    fun aLeaseThatWouldEndBeforeTheCoroutine() {
        assertThat(failure(Leased::class.java)).contains("lease: ")
    }

    @Test
    fun aFallbackThatIsNoSuspendFunction() {
        assertThat(failure(Blocking::class.java)).contains("fallback: there is no method 'later'")
    }

    /** Without the adapter of coroutines, it would never run. */
    @Test
    fun aFunctionThatSpringCannotCall() {
        val withoutAdapter = System.getProperty("java.class.path").split(File.pathSeparator)
            .filterNot { it.contains("kotlinx-coroutines-reactor") }
            .map { File(it).toURI().toURL() }
        val thread = Thread.currentThread()
        val before = thread.contextClassLoader
        URLClassLoader(withoutAdapter.toTypedArray(), ClassLoader.getPlatformClassLoader()).use { loader ->
            thread.contextClassLoader = loader
            try {
                val failure = loader.loadClass(InvalidSuspendTest::class.java.name).getMethod("failure", Class::class.java)
                assertThat(failure.invoke(null, loader.loadClass(Orders::class.java.name)) as String)
                    .contains("a suspend function needs kotlinx-coroutines-reactor and kotlin-reflect")
            } finally {
                thread.contextClassLoader = before
            }
        }
    }
}
