package io.holdfast.spring.guide;

import io.holdfast.Holdfast;
import io.holdfast.spring.LockKind;
import io.holdfast.spring.Locked;
import io.holdfast.spring.OnFailure;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Service;

/** The options of an annotation, and the client itself. */
@Service
class Cleanup {

    private final Holdfast holdfast;
    private final List<String> log = new CopyOnWriteArrayList<>();

    Cleanup(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    List<String> log() {
        return log;
    }

    // region skip
    @Locked(name = "cleanup", waitTime = "0", onFailure = OnFailure.SKIP)
    public void cleanup() {
        log.add("cleanup");
    }
    // endregion

    // region fallback
    @Locked(name = "rates", waitTime = "200ms", onFailure = OnFailure.FALLBACK, fallback = "cachedRates")
    public List<String> rates(String currency) {
        return List.of("fresh " + currency);
    }

    List<String> cachedRates(String currency) {
        return List.of("cached " + currency);
    }
    // endregion

    // region permits
    @Locked(name = "downloads", kind = LockKind.PERMITS, permits = 2)
    public CompletableFuture<String> download(String file) {
        return CompletableFuture.supplyAsync(() -> "downloaded " + file);
    }
    // endregion

    // region client
    boolean isBusy(String name) {
        return holdfast.lock(name).isLocked();
    }
    // endregion
}
