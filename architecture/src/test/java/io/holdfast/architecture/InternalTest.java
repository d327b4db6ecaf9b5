package io.holdfast.architecture;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The engine is public only as far as the root package needs it. */
class InternalTest {

    private static final String ROOT = "io.holdfast";
    private static final String INTERNAL = "io.holdfast.internal";

    /** The public types of the package and those below, exactly: a new one is a decision, taken here. */
    private static final Set<String> PUBLIC_TYPES = Set.of(
            "Awaiting",
            "Client",
            "Durations",
            "Owner",
            "Settings",
            "multi.Asked",
            "multi.Asked$Got",
            "multi.Asked$Held",
            "multi.Asked$Unclear",
            "multi.Composite",
            "multi.Member",
            "multi.Patience",
            "multi.Place",
            "multi.Wish",
            "quorum.Quorum",
            "quorum.Seat",
            "quorum.Server",
            "quorum.Server$Source",
            "recipes.ClientLeaderElection",
            "recipes.ClientSegmentedLock",
            "recipes.Surroundings");

    @Test
    void publicTypesAreTheOnesNamedHere() {
        Set<String> found = PublishedModules.allClasses().stream()
                .filter(type -> isInternal(type) && isPublic(type))
                .map(type -> type.getName().substring(INTERNAL.length() + 1))
                .collect(toCollection(TreeSet::new));
        assertThat(found).containsExactlyInAnyOrderElementsOf(PUBLIC_TYPES);
    }

    @Test
    void onlyTheRootPackageUsesThem() {
        Set<String> found = PublishedModules.allClasses().stream()
                .filter(type -> !isInternal(type) && !type.getPackageName().equals(ROOT))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> isInternal(dependency.getTargetClass().getBaseComponentType()))
                .map(Dependency::getDescription)
                .collect(toCollection(TreeSet::new));
        assertThat(found).isEmpty();
    }

    private static boolean isInternal(JavaClass type) {
        return type.getPackageName().equals(INTERNAL) || type.getPackageName().startsWith(INTERNAL + ".");
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(InternalTest::isPublic).orElse(true);
    }
}
