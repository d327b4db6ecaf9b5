package io.holdfast.support.session;

import static java.util.stream.Collectors.toSet;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What is known of the sessions of other clients. A session that has ended never lives again. One that lived may have ended since,
 * so the servers are asked again after half a second. A waiter asks for its lock less often than that. If there are too many
 * sessions, all are forgotten.
 */
final class Fates {

    private static final int LIMIT = 10_000;
    private static final long ASKED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The {@code nanoTime} of the last answer that a session lives; {@link #ENDED} if it has ended. */
    private final Map<String, Long> fates = new ConcurrentHashMap<>();

    private static final Long ENDED = Long.MIN_VALUE;

    boolean isOver(String session) {
        return ENDED.equals(fates.get(session));
    }

    /** Returns those of the sessions of which too little is known. */
    Set<String> unknown(Stream<String> sessions, long now) {
        return sessions.filter(id -> {
                    Long fate = fates.get(id);
                    return fate == null || (!ENDED.equals(fate) && now - fate >= ASKED_NANOS);
                })
                .collect(toSet());
    }

    /**
     * Notes an answer of the servers.
     *
     * @param before the {@code nanoTime} before they were asked
     */
    void answered(Set<String> asked, Set<String> ended, long before) {
        if (fates.size() > LIMIT) {
            fates.clear();
        }
        asked.forEach(id -> fates.merge(
                id, ended.contains(id) ? ENDED : before, (known, fate) -> ENDED.equals(known) ? known : fate));
    }
}
