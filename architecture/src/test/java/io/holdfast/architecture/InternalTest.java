package io.holdfast.architecture;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Nobody outside core uses what core does not export. */
class InternalTest {

    private static final String ROOT = "io.holdfast";
    private static final String RECIPES = "io.holdfast.recipes";
    private static final String INTERNAL = "io.holdfast.internal";

    @Test
    void onlyCoreUsesThem() {
        Set<String> found = PublishedModules.allClasses().stream()
                .filter(type -> !isInternal(type) && !Set.of(ROOT, RECIPES).contains(type.getPackageName()))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> isInternal(dependency.getTargetClass().getBaseComponentType()))
                .map(Dependency::getDescription)
                .collect(toCollection(TreeSet::new));
        assertThat(found).isEmpty();
    }

    private static boolean isInternal(JavaClass type) {
        return type.getPackageName().equals(INTERNAL) || type.getPackageName().startsWith(INTERNAL + ".");
    }
}
