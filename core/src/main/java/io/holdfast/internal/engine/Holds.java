package io.holdfast.internal.engine;

/** The operations of owners on their holds. */
public record Holds(HoldValidity validity, HoldRenewals renewals, HoldReleases releases) {}
