package io.holdfast.mongodb;

/** The server of the tests, for tests in other packages. */
public final class TestServer {

    private TestServer() {}

    /** Returns its URI. */
    public static String uri() {
        return Servers.uri();
    }
}
