package io.holdfast.examples.web.demo;

import java.nio.charset.StandardCharsets;

/** The answer to a request. */
@SuppressWarnings("ArrayRecordComponent")
record Answer(int status, byte[] body) {

    /** The instance did not answer, so it may have sold an item. */
    static final Answer BAD_GATEWAY = of(502, "the instance did not answer");

    /** No instance got the request. */
    static final Answer UNAVAILABLE = of(503, "no instance serves requests");

    /** The instance did not answer in time, so it may have sold an item. */
    static final Answer GATEWAY_TIMEOUT = of(504, "the instance did not answer in time");

    static Answer of(int status, String text) {
        return new Answer(status, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
