package io.holdfast.spring;

import io.holdfast.recipes.Leadership;

/**
 * Published when this instance has become the leader of an election.
 *
 * @param election the name of the election
 * @param leadership the leadership, whose token fences the work of the leader. Closing it resigns
 */
public record LeadershipGained(String election, Leadership leadership) {}
