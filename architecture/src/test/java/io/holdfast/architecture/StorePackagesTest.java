package io.holdfast.architecture;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.holdfast.architecture.PublishedModules.Module;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The packages of the stores that have several: which may depend on which, and what users see of them. */
class StorePackagesTest {

    /**
     * The packages of a store.
     *
     * @param layers from top to bottom; a package depends on those of lower layers only, and on none beside it
     */
    private record Store(Module module, String root, List<Set<String>> layers) {

        static Store of(String module, String root, List<Set<String>> below) {
            return new Store(
                    PublishedModules.named(module),
                    root,
                    Stream.concat(
                                    Stream.of(Set.of(root)),
                                    below.stream()
                                            .map(layer -> layer.stream()
                                                    .map(name -> root + "." + name)
                                                    .collect(toSet())))
                            .toList());
        }

        /** Of a package that is none of these, -1. */
        int layer(String packageName) {
            for (int i = 0; i < layers.size(); i++) {
                if (layers.get(i).contains(packageName)) {
                    return i;
                }
            }
            return -1;
        }

        boolean isForbidden(Dependency dependency) {
            String from = dependency.getOriginClass().getPackageName();
            String to = dependency.getTargetClass().getBaseComponentType().getPackageName();
            return layer(from) >= 0 && layer(to) >= 0 && !from.equals(to) && layer(to) <= layer(from);
        }

        @Override
        public String toString() {
            return root;
        }
    }

    static Stream<Store> stores() {
        return Stream.of(
                Store.of(
                        "stores/redis",
                        "io.holdfast.redis",
                        List.of(Set.of("cluster", "interop"), Set.of("store"), Set.of("script"), Set.of("connection"))),
                Store.of(
                        "stores/jdbc",
                        "io.holdfast.jdbc",
                        List.of(Set.of("connection"), Set.of("record"), Set.of("sql"))),
                Store.of("stores/zookeeper", "io.holdfast.zookeeper", List.of(Set.of("connection"))),
                Store.of("stores/etcd", "io.holdfast.etcd", List.of(Set.of("connection"))),
                Store.of("stores/mongodb", "io.holdfast.mongodb", List.of(Set.of("record"))));
    }

    @ParameterizedTest
    @MethodSource("stores")
    void everyPackageHasALayer(Store store) {
        Set<String> packages = store.module().classes().stream()
                .map(JavaClass::getPackageName)
                .filter(name -> !name.isEmpty())
                .collect(toSet());
        assertThat(packages)
                .containsExactlyInAnyOrderElementsOf(
                        store.layers().stream().flatMap(Set::stream).toList());
    }

    @ParameterizedTest
    @MethodSource("stores")
    void aPackageDependsOnLowerLayersOnly(Store store) {
        Set<String> upward = store.module().classes().stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(store::isForbidden)
                .map(Dependency::getDescription)
                .collect(toCollection(TreeSet::new));
        assertThat(upward).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void onlyTheRootIsExported(Store store) throws IOException {
        Path moduleInfo = store.module().classFolder().resolve("module-info.class");
        if (!Files.exists(moduleInfo)) {
            // an automatic module, which needs a name that does not depend on the name of its file
            assertThat(Files.readString(store.module().folder().resolve("pom.xml")))
                    .contains("<Automatic-Module-Name>" + store.root() + "<");
            return;
        }
        try (InputStream in = Files.newInputStream(moduleInfo)) {
            ModuleDescriptor module = ModuleDescriptor.read(in);
            assertThat(module.exports())
                    .extracting(ModuleDescriptor.Exports::source)
                    .containsExactly(store.root());
            assertThat(module.opens()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("stores")
    void whatUsersSeeNamesNoTypeOfAnotherPackage(Store store) {
        Set<String> seen = store.module().classes().stream()
                .filter(type -> type.getPackageName().equals(store.root()) && isSeen(type.getModifiers()))
                .flatMap(type -> type.getMembers().stream())
                .filter(member -> isSeen(member.getModifiers()))
                .filter(member -> member.getAllInvolvedRawTypes().stream()
                        .anyMatch(type -> store.layer(type.getPackageName()) > 0))
                .map(JavaMember::getFullName)
                .collect(toCollection(TreeSet::new));
        assertThat(seen).isEmpty();
    }

    private static boolean isSeen(Set<JavaModifier> modifiers) {
        return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
    }
}
