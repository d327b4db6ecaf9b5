package io.holdfast.architecture;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.properties.HasName;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The compiler checks null in marked packages only, so all of them are marked. */
class NullMarkedTest {

    private static final String NULL_MARKED = "org.jspecify.annotations.NullMarked";

    @Test
    void everyPackageIsNullMarked() {
        Set<String> unmarked = PublishedModules.allClasses().stream()
                .filter(type -> !type.getPackageName().isEmpty())
                .map(JavaClass::getPackage)
                .filter(pkg -> !pkg.isAnnotatedWith(NULL_MARKED))
                .map(HasName::getName)
                .collect(toCollection(TreeSet::new));
        assertThat(unmarked).isEmpty();
    }
}
