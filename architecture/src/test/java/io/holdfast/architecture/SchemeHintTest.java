package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.architecture.PublishedModules.Module;
import io.holdfast.spi.StoreProvider;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A client without the module of a store names that module, for each scheme that its provider knows. */
class SchemeHintTest {

    @Test
    void everySchemeOfAStoreIsInTheHint() throws Exception {
        List<String> missing = new ArrayList<>();
        int schemes = 0;
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
            Module module = moduleOf(provider);
            if (!module.isStore()) {
                continue;
            }
            for (String scheme : provider.schemes()) {
                schemes++;
                String hint = hint(scheme);
                if (!hint.contains("add io.holdfast:" + module.artifactId() + " ")) {
                    missing.add(scheme + " of " + module + ": " + hint);
                }
            }
        }
        assertThat(schemes).isGreaterThan(7);
        assertThat(missing).isEmpty();
    }

    private static Module moduleOf(StoreProvider provider) {
        Path place = place(provider.getClass());
        return PublishedModules.all().stream()
                .filter(module -> place.startsWith(module.folder()))
                .findFirst()
                .orElseThrow(() -> new AssertionError(provider + " is in no published module"));
    }

    /** What a client says that finds core alone. */
    private static String hint(String scheme) throws Exception {
        URL[] core = {
            PublishedModules.named("core").classFolder().toUri().toURL(),
            place(LoggerFactory.class).toUri().toURL()
        };
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader alone = new URLClassLoader(core, ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(alone);
            alone.loadClass("io.holdfast.Holdfast")
                    .getMethod("connect", String.class)
                    .invoke(null, scheme.equals("jdbc") ? "jdbc:h2:mem:hint" : scheme + "://host");
            throw new AssertionError(scheme + " is known to core");
        } catch (InvocationTargetException e) {
            return String.valueOf(e.getCause().getMessage());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static Path place(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }
}
