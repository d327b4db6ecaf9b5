package io.holdfast.support.session;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The sessions that are known to have ended. A session that has ended never lives again. If there are too many, all are forgotten,
 * and the servers are asked again.
 */
final class EndedSessions {

    private static final int LIMIT = 10_000;

    private final Set<String> ended = ConcurrentHashMap.newKeySet();

    boolean contains(String session) {
        return ended.contains(session);
    }

    void add(Collection<String> sessions) {
        if (ended.size() > LIMIT) {
            ended.clear();
        }
        ended.addAll(sessions);
    }
}
