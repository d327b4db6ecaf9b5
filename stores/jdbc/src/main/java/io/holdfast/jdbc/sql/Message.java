package io.holdfast.jdbc.sql;

/**
 * A message to a client, which the database sends when it has written.
 *
 * @param clientId the client that receives it
 * @param text the message
 */
public record Message(String clientId, String text) {}
