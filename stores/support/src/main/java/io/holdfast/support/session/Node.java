package io.holdfast.support.session;

import java.util.Optional;

/**
 * A record as a server keeps it.
 *
 * @param version a number that changes with each write
 * @param text the text of the record; empty if the server has none
 * @param floorUnit a token unit below those of a new record, because a record of the name may have been deleted; 0 for none
 */
public record Node(long version, Optional<String> text, long floorUnit) {}
