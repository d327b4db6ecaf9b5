package io.holdfast.memory;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUri;
import io.holdfast.support.record.Limits;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The provider of private stores ({@code memory:}) and of stores that all clients in this JVM share ({@code memory:NAME}).
 *
 * <p>For tests, {@code memory:NAME?limits=standard} has the {@linkplain Limits#STANDARD limits} of a store that writes the whole
 * record for each change. The claim window can be set in milliseconds: {@code memory:NAME?claimWindow=2000}. Other options are
 * refused.
 */
public final class MemoryStoreProvider implements StoreProvider {

    static final String PRIVATE = "memory:";
    private static final Pattern FORM =
            Pattern.compile("memory:(?:[^?]+(\\?limits=standard)?(?:[?&]claimWindow=(\\d{3,5}))?)?");

    /** The shared servers by URI. Each is removed when its last client closes. */
    private static final ConcurrentMap<String, Shared> SHARED = new ConcurrentHashMap<>();

    private record Shared(MemoryServer server, int users) {

        Shared plus(int more) {
            return new Shared(server, users + more);
        }
    }

    /** Creates a provider, for {@link java.util.ServiceLoader}. */
    public MemoryStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("memory");
    }

    @Override
    public LockStore open(StoreConfig config) {
        String uri = config.uri();
        Matcher form = FORM.matcher(uri);
        if (!form.matches()) {
            throw new IllegalArgumentException("not a memory store: '" + StoreUri.masked(uri)
                    + "'; write memory: for a private one, memory:NAME[?limits=standard] for a shared one");
        }
        return uri.equals(PRIVATE)
                ? connect(config, new MemoryServer(config.platform(), Limits.NONE), () -> {})
                : connect(config, openShared(form, config.platform()), () -> closeShared(uri));
    }

    private static LockStore connect(StoreConfig config, MemoryServer server, Runnable onClose) {
        return new MemoryStore(config, new MemoryClient(config), server, onClose);
    }

    private static MemoryServer openShared(Matcher form, Platform platform) {
        return SHARED.compute(
                        form.group(),
                        (uri, open) ->
                                open == null ? new Shared(new MemoryServer(platform, limits(form)), 1) : open.plus(1))
                .server();
    }

    private static Limits limits(Matcher form) {
        Limits limits = form.group(1) == null ? Limits.NONE : Limits.STANDARD;
        return form.group(2) == null ? limits : limits.withClaimMicros(Long.parseLong(form.group(2)) * 1_000);
    }

    private static void closeShared(String uri) {
        SHARED.computeIfPresent(uri, (key, open) -> open.users() == 1 ? null : open.plus(-1));
    }
}
