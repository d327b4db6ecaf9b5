package io.holdfast.spring.aop;

/**
 * An election of one client.
 *
 * @param client the qualifier of the client; empty for the default client
 */
record ElectionId(String client, String name) {}
