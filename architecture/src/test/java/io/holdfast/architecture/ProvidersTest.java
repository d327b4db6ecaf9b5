package io.holdfast.architecture;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasName;
import io.holdfast.architecture.PublishedModules.Module;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A store is found on the class path by META-INF/services, and on the module path by module-info: it needs both. */
class ProvidersTest {

    private static final String SERVICE = "io.holdfast.spi.StoreProvider";

    @Test
    void theServiceIsPartOfCore() {
        assertThat(PublishedModules.named("core").classes().contain(SERVICE)).isTrue();
    }

    @Test
    void theMemoryStoreHasAProvider() {
        assertThat(providers(PublishedModules.named("stores/memory"))).isNotEmpty();
    }

    @Test
    void everyProviderIsNamedInMetaInfServices() throws IOException {
        for (Module module : PublishedModules.all()) {
            assertThat(namedInServices(module))
                    .as("META-INF/services of " + module)
                    .isEqualTo(providers(module));
        }
    }

    @Test
    void everyProviderIsNamedInModuleInfo() throws IOException {
        for (Module module : PublishedModules.all()) {
            Path moduleInfo = module.classFolder().resolve("module-info.class");
            if (Files.exists(moduleInfo)) {
                assertThat(namedInModuleInfo(moduleInfo))
                        .as("module-info of " + module)
                        .isEqualTo(providers(module));
            }
        }
    }

    private static Set<String> providers(Module module) {
        return module.classes().stream()
                .filter(type -> type.isAssignableTo(SERVICE))
                .filter(ProvidersTest::isProvider)
                .map(HasName::getName)
                .collect(toCollection(TreeSet::new));
    }

    /** One that is not public is made by a call, because the service loader cannot make it. */
    private static boolean isProvider(JavaClass type) {
        return !type.isInterface()
                && type.getModifiers().contains(JavaModifier.PUBLIC)
                && !type.isAnonymousClass()
                && !type.getModifiers().contains(JavaModifier.ABSTRACT);
    }

    private static Set<String> namedInServices(Module module) throws IOException {
        Path file = module.classFolder().resolve("META-INF/services/" + SERVICE);
        if (!Files.exists(file)) {
            return Set.of();
        }
        return Files.readAllLines(file).stream()
                .map(line -> line.replaceFirst("#.*", "").strip())
                .filter(line -> !line.isEmpty())
                .collect(toCollection(TreeSet::new));
    }

    private static Set<String> namedInModuleInfo(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return ModuleDescriptor.read(in).provides().stream()
                    .filter(provides -> provides.service().equals(SERVICE))
                    .flatMap(provides -> provides.providers().stream())
                    .collect(toCollection(TreeSet::new));
        }
    }
}
