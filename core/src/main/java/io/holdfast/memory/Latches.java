package io.holdfast.memory;

import io.holdfast.spi.Change;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The latches of a {@link MemoryServer}, and every decision on them. Guarded by its mutex. */
final class Latches {

    /** For how long an open latch is kept that was set for as long as it takes. */
    private static final long OPEN_LIFE = TimeUnit.DAYS.toMicros(7);

    private static final long MINUTE = TimeUnit.MINUTES.toMicros(1);

    private final MemoryServer server;
    private final Map<String, Latch> latches = new HashMap<>();

    Latches(MemoryServer server) {
        this.server = server;
    }

    /** What is kept under a name; also of one that is not set, for as long as somebody listens. */
    private static final class Latch {

        final Applied applied = new Applied();
        final Set<String> listeners = new HashSet<>();

        /** The settings that opened in the last minute, and when; for those who did not hear of it yet. */
        final Map<TenureId, Long> opened = new HashMap<>();

        @Nullable
        TenureId set;

        int count;
        long expires = Long.MAX_VALUE;
        long lastChange;

        boolean isSet(long now) {
            return set != null && now < expires;
        }

        boolean isForgotten(long now) {
            return !isSet(now) && listeners.isEmpty() && now - lastChange > MINUTE;
        }

        void set(Change request, long now) {
            set = request.id();
            count = request.amount();
            expires =
                    request.life().map(life -> now + MemoryServer.micros(life)).orElse(Long.MAX_VALUE);
        }

        void forget() {
            set = null;
            count = 0;
        }

        void noteOpening(long now) {
            opened.values().removeIf(at -> now - at > MINUTE);
            opened.put(Objects.requireNonNull(set), now);
        }

        Set<TenureId> opened(long now) {
            opened.values().removeIf(at -> now - at > MINUTE);
            return opened.keySet();
        }
    }

    void forget(String clientId) {
        latches.values().forEach(latch -> latch.listeners.remove(clientId));
    }

    private Latch find(String key, long now) {
        Latch latch = latches.computeIfAbsent(key, absent -> new Latch());
        if (!latch.isSet(now)) {
            latch.forget();
        }
        return latch;
    }

    LatchReport report(String key, String clientId, boolean listening, long now) {
        Latch latch = find(key, now);
        if (listening && latch.count > 0) {
            latch.listeners.add(clientId);
        } else {
            latch.listeners.remove(clientId);
        }
        if (latch.isForgotten(now)) {
            latches.remove(key);
        }
        return new LatchReport(Optional.ofNullable(latch.set), latch.count, latch.opened(now));
    }

    /** Whether anything was to be done. */
    boolean change(String key, Change request, long now) {
        latches.values().removeIf(latch -> latch.isForgotten(now));
        Latch latch = find(key, now);
        Optional<Boolean> before = latch.applied.answer(request.id());
        if (before.isPresent()) {
            return before.get();
        }
        boolean applied = apply(key, latch, request, now);
        latch.applied.note(request.id(), applied, now);
        latch.lastChange = now;
        return applied;
    }

    private boolean apply(String key, Latch latch, Change request, long now) {
        boolean set = latch.set != null;
        boolean applies = request.kind() == Change.Kind.RESET_COUNT || set != (request.kind() == Change.Kind.TRY_COUNT);
        if (!applies) {
            return false;
        }
        switch (request.kind()) {
            case TRY_COUNT, RESET_COUNT -> latch.set(request, now);
            case COUNT_DOWN -> countDown(latch, request.amount(), now);
            case DELETE_COUNT -> latch.forget();
            default -> throw new IllegalArgumentException(request.kind() + " is no change of a latch");
        }
        if (latch.count == 0 || request.kind() == Change.Kind.RESET_COUNT) {
            tellAll(key, latch);
        }
        return true;
    }

    private static void countDown(Latch latch, int by, long now) {
        boolean opens = latch.count > 0 && latch.count <= by;
        latch.count = Math.max(0, latch.count - by);
        if (opens) {
            latch.noteOpening(now);
        }
        if (opens && latch.expires == Long.MAX_VALUE) {
            latch.expires = now + OPEN_LIFE;
        }
    }

    private void tellAll(String key, Latch latch) {
        latch.listeners.forEach(clientId -> server.tell(clientId, key, Signal.Changed::new));
        latch.listeners.clear();
    }
}
