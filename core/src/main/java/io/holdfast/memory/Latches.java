package io.holdfast.memory;

import io.holdfast.LatchCount;
import io.holdfast.spi.Change;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.Signal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The latches of a {@link MemoryServer}, and every decision on them. Guarded by its mutex. */
final class Latches {

    private final MemoryServer server;
    private final Map<String, LatchCell> latches = new HashMap<>();

    Latches(MemoryServer server) {
        this.server = server;
    }

    void forget(String clientId) {
        latches.values().forEach(latch -> latch.listeners.remove(clientId));
    }

    private LatchCell find(String key, long now) {
        LatchCell latch = latches.computeIfAbsent(key, absent -> new LatchCell());
        latch.expire(now);
        return latch;
    }

    LatchReport report(String key, String clientId, boolean listening, long now) {
        LatchCell latch = find(key, now);
        if (listening && !latch.isOver(now)) {
            latch.listeners.add(clientId);
        } else {
            latch.listeners.remove(clientId);
        }
        if (latch.isForgotten(now)) {
            latches.remove(key);
        }
        return latch.report(now);
    }

    List<LatchCount> list(MemoryStore asker, String keyPrefix, long now) {
        return latches.entrySet().stream()
                .filter(each -> each.getKey().startsWith(keyPrefix))
                .flatMap(each -> each.getValue().count(asker.name(each.getKey()), now).stream())
                .toList();
    }

    /** Returns {@code true} if the change was applied. */
    boolean change(String key, Change request, long now) {
        latches.values().removeIf(latch -> latch.isForgotten(now));
        LatchCell latch = find(key, now);
        Optional<Boolean> before = latch.applied.answer(request.id());
        if (before.isPresent()) {
            return before.get();
        }
        boolean applied = apply(key, latch, request, now);
        latch.applied.note(request.id(), applied, now);
        return applied;
    }

    private boolean apply(String key, LatchCell latch, Change request, long now) {
        boolean applies = request.kind() == Change.Kind.RESET_COUNT
                || latch.isSet(now) != (request.kind() == Change.Kind.TRY_COUNT);
        if (!applies) {
            return false;
        }
        switch (request.kind()) {
            case TRY_COUNT, RESET_COUNT -> latch.set(request.amount(), request.life(), now);
            case COUNT_DOWN -> latch.countDown(request.amount(), now);
            case DELETE_COUNT -> latch.end(now);
            default -> throw new IllegalArgumentException(request.kind() + " is not a change of a latch");
        }
        if (request.kind() != Change.Kind.COUNT_DOWN || latch.isOver(now)) {
            tellAll(key, latch);
        }
        return true;
    }

    private void tellAll(String key, LatchCell latch) {
        latch.listeners.forEach(clientId -> server.tell(clientId, key, Signal.Changed::new));
        latch.listeners.clear();
    }
}
