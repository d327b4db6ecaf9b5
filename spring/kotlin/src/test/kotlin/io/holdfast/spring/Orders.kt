package io.holdfast.spring

import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow

/** Annotated methods, each of which runs a body of the test. */
open class Orders {

    @Locked("orders/#{#id}")
    open suspend fun ship(id: Long, @FencingToken token: Long, body: suspend (Long) -> String?): String? {
        delay(1) // it resumes on another thread than that of its caller
        return body(token)
    }

    @Locked("orders/#{#id}", waitTime = "0")
    open suspend fun shipNow(id: Long) = "shipped $id"

    @Locked("orders/#{#id}", waitTime = "0", onFailure = OnFailure.SKIP)
    open suspend fun shipIfFree(id: Long): String? = "shipped $id"

    @Locked("orders/#{#id}", waitTime = "0", onFailure = OnFailure.FALLBACK, fallback = "later")
    open suspend fun shipOrQueue(id: Long) = "shipped $id"

    @Suppress("unused")
    open suspend fun later(id: Long): String {
        delay(1)
        return "queued $id"
    }

    @Locked("orders/#{#id}")
    open fun lines(id: Long, body: suspend () -> Unit): Flow<String> = flow {
        repeat(2) { line ->
            body()
            emit("$id/$line")
        }
    }

    @Locked("orders/#{#id}")
    open suspend fun linesLater(id: Long, body: suspend () -> Unit): Flow<String> {
        delay(1)
        return lines(id, body)
    }
}
