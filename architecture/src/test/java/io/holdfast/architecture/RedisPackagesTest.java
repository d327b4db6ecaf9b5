package io.holdfast.architecture;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.holdfast.architecture.PublishedModules.Module;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The packages of the Redis store: which may depend on which, and what users see of them. */
class RedisPackagesTest {

    private static final Module REDIS = PublishedModules.named("stores/redis");
    private static final String ROOT = "io.holdfast.redis";

    /** From top to bottom. A package depends on those of lower layers only, and on none beside it. */
    private static final List<Set<String>> LAYERS = List.of(
            Set.of(ROOT),
            Set.of(ROOT + ".cluster", ROOT + ".interop"),
            Set.of(ROOT + ".store"),
            Set.of(ROOT + ".script"),
            Set.of(ROOT + ".connection"));

    @Test
    void everyPackageHasALayer() {
        Set<String> packages = REDIS.classes().stream()
                .map(JavaClass::getPackageName)
                .filter(name -> !name.isEmpty())
                .collect(toSet());
        assertThat(packages)
                .containsExactlyInAnyOrderElementsOf(
                        LAYERS.stream().flatMap(Set::stream).toList());
    }

    @Test
    void aPackageDependsOnLowerLayersOnly() {
        Set<String> upward = REDIS.classes().stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(RedisPackagesTest::isForbidden)
                .map(Dependency::getDescription)
                .collect(toCollection(TreeSet::new));
        assertThat(upward).isEmpty();
    }

    private static boolean isForbidden(Dependency dependency) {
        String from = dependency.getOriginClass().getPackageName();
        String to = dependency.getTargetClass().getBaseComponentType().getPackageName();
        return layer(from) >= 0 && layer(to) >= 0 && !from.equals(to) && layer(to) <= layer(from);
    }

    /** Of a package that is none of these, -1. */
    private static int layer(String packageName) {
        for (int i = 0; i < LAYERS.size(); i++) {
            if (LAYERS.get(i).contains(packageName)) {
                return i;
            }
        }
        return -1;
    }

    @Test
    void onlyTheRootIsExported() throws IOException {
        try (InputStream in = Files.newInputStream(REDIS.classFolder().resolve("module-info.class"))) {
            ModuleDescriptor module = ModuleDescriptor.read(in);
            assertThat(module.exports())
                    .extracting(ModuleDescriptor.Exports::source)
                    .containsExactly(ROOT);
            assertThat(module.opens()).isEmpty();
        }
    }

    @Test
    void whatUsersSeeNamesNoTypeOfAnotherPackage() {
        JavaClasses classes = REDIS.classes();
        Set<String> seen = classes.stream()
                .filter(type -> type.getPackageName().equals(ROOT) && isSeen(type.getModifiers()))
                .flatMap(type -> type.getMembers().stream())
                .filter(member -> isSeen(member.getModifiers()))
                .filter(member ->
                        member.getAllInvolvedRawTypes().stream().anyMatch(type -> layer(type.getPackageName()) > 0))
                .map(JavaMember::getFullName)
                .collect(toCollection(TreeSet::new));
        assertThat(seen).isEmpty();
    }

    private static boolean isSeen(Set<JavaModifier> modifiers) {
        return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
    }
}
