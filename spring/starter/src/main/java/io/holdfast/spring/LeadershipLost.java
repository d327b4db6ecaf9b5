package io.holdfast.spring;

/**
 * Published when this instance is no longer the leader of an election. It stays a candidate.
 *
 * @param election the name of the election
 * @param fencingToken the token of the leadership that has ended
 * @param resigned {@code true} if the leadership was closed, {@code false} if it was lost
 */
public record LeadershipLost(String election, long fencingToken, boolean resigned) {}
