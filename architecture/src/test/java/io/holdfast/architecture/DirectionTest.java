package io.holdfast.architecture;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasName;
import io.holdfast.architecture.PublishedModules.Module;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who may depend on whom: stores on {@code spi} and {@code support}, and nobody on a store. */
class DirectionTest {

    private static final String ROOT = "io.holdfast";
    private static final String SPI = "io.holdfast.spi";
    private static final String INTERNAL = "io.holdfast.internal";
    private static final String ACCESS = "io.holdfast.internal.access";
    private static final String SLOT = "io.holdfast.internal.slot";
    private static final String ENGINE = "io.holdfast.internal.engine";
    private static final String LOCK = "io.holdfast.internal.lock";
    private static final String COUNTED = "io.holdfast.internal.counted";
    private static final String RECIPES = "io.holdfast.recipes";
    private static final String SUPPORT = "io.holdfast.support";
    private static final String RECORD = "io.holdfast.support.record";
    private static final String RECORD_STORE = "io.holdfast.support.store";
    private static final String SESSION = "io.holdfast.support.session";
    private static final String TESTKIT = "io.holdfast.testkit";

    /** What a module of a store has for users of its database, beside the store, and throws at them. */

    /** What core and support may use beside the JDK. */
    private static final List<String> LIBRARIES =
            List.of("org.jspecify.annotations", "org.slf4j", "com.google.errorprone.annotations");

    /** How many methods a type may show to another room. */
    private static final int MOST_METHODS = 8;

    private static final Set<String> OF_ALL_RECORDS = Set.of("equals", "hashCode", "toString");

    /** A package of core, from the lowest to the highest, and those of core that it may use. */
    private static final Map<String, Set<String>> ROOMS = Map.of(
            ACCESS, Set.of(ROOT, SPI),
            SLOT, Set.of(ROOT, SPI, ACCESS),
            ENGINE, Set.of(ROOT, SPI, ACCESS, SLOT),
            LOCK, Set.of(ROOT, SPI, ACCESS, SLOT, ENGINE),
            COUNTED, Set.of(ROOT, SPI, ACCESS, SLOT, ENGINE, LOCK),
            RECIPES, Set.of(ROOT, SPI, ACCESS),
            ROOT, Set.of(SPI, INTERNAL, ACCESS));

    @Test
    void thereAreStores() {
        assertThat(PublishedModules.stores())
                .extracting(Module::path)
                .contains("stores/memory", "stores/redis", "stores/embedded-redis");
    }

    @Test
    void coreUsesTheJdkAndItsOwnPackagesOnly() {
        assertThat(dependencies(
                        PublishedModules.named("core").classes(),
                        target -> !target.getPackageName().startsWith(ROOT)
                                && !isJdk(target)
                                && !LIBRARIES.contains(target.getPackageName())))
                .isEmpty();
    }

    @Test
    void spiUsesNeitherTheEngineNorAStore() {
        assertThat(dependencies(
                        from(PublishedModules.named("core").classes(), SPI),
                        target -> isHoldfast(target) && !inPackages(target, SPI, ROOT)))
                .isEmpty();
    }

    @Test
    void aRoomOfCoreUsesOnlyTheRoomsBelowIt() {
        JavaClasses core = PublishedModules.named("core").classes();
        ROOMS.forEach((room, below) -> assertThat(dependencies(
                        from(core, room),
                        target -> isHoldfast(target)
                                && !inPackages(target, room)
                                && !below.contains(target.getPackageName())))
                .as(room)
                .isEmpty());
    }

    @Test
    void onlyTheClientKnowsTheEngine() {
        List<JavaClass> others = PublishedModules.allClasses().stream()
                .filter(type -> !inPackages(type, INTERNAL, ENGINE))
                .toList();
        assertThat(dependencies(others, target -> outermost(target).getName().equals(ENGINE + ".Engine")))
                .isEmpty();
    }

    /** A face gets the parts of the engine that it needs, and each part shows it little. */
    @Test
    void aPartOfTheEngineIsNarrow() {
        JavaClasses core = PublishedModules.named("core").classes();
        Set<JavaClass> parts = Stream.of(LOCK, COUNTED)
                .flatMap(room -> from(core, room).stream())
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(Dependency::getTargetClass)
                .filter(target -> inPackages(target, ENGINE))
                .collect(toSet());
        assertThat(parts)
                .isNotEmpty()
                .allSatisfy(
                        part -> assertThat(methods(part)).as(part.getName()).hasSizeLessThanOrEqualTo(MOST_METHODS));
    }

    @Test
    void anInterfaceBetweenRoomsIsNarrow() {
        JavaClasses core = PublishedModules.named("core").classes();
        List<JavaClass> interfaces = Stream.of(SLOT, ENGINE, LOCK, COUNTED)
                .flatMap(room -> from(core, room).stream())
                .filter(JavaClass::isInterface)
                .toList();
        assertThat(interfaces)
                .isNotEmpty()
                .allSatisfy(one -> assertThat(methods(one)).as(one.getName()).hasSizeLessThanOrEqualTo(MOST_METHODS));
    }

    @Test
    void aTypeServesFewInterfacesOfOtherRooms() {
        assertThat(PublishedModules.named("core").classes())
                .allSatisfy(type -> assertThat(names(type.getRawInterfaces().stream()
                                .filter(served -> served.getPackageName().startsWith(INTERNAL))
                                .filter(served -> !inPackages(served, type.getPackageName()))))
                        .as(type.getName())
                        .hasSizeLessThanOrEqualTo(2));
    }

    /** What others may call, except what every record has. */
    private static Set<String> methods(JavaClass type) {
        return type.getMethods().stream()
                .filter(method -> method.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(method -> !method.getModifiers().contains(JavaModifier.SYNTHETIC))
                .filter(method -> !OF_ALL_RECORDS.contains(method.getName()))
                .map(JavaMethod::getFullName)
                .collect(toSet());
    }

    @Test
    void everyPackageOfCoreHasARule() {
        Set<String> packages = PublishedModules.named("core").classes().stream()
                .map(JavaClass::getPackageName)
                .collect(toCollection(TreeSet::new));
        packages.removeAll(ROOMS.keySet());
        assertThat(packages).containsExactly(INTERNAL, SPI);
    }

    /** Of the SPI, recipes need time, randomness, and the form of names in texts. */
    @Test
    void recipesKnowNoStore() {
        Set<String> needed = Set.of(SPI + ".Platform", SPI + ".Names");
        assertThat(dependencies(
                        from(PublishedModules.named("core").classes(), RECIPES),
                        target -> inPackages(target, SPI)
                                && !needed.contains(outermost(target).getName())))
                .isEmpty();
    }

    @Test
    void theRestOfCoreKnowsNoRecipes() {
        List<JavaClass> others = PublishedModules.named("core").classes().stream()
                .filter(type -> !inPackages(type, RECIPES))
                .toList();
        assertThat(dependencies(others, target -> inPackages(target, RECIPES))).isEmpty();
    }

    @Test
    void supportUsesSpiOnly() {
        Set<String> known = rootTypesOfSpi(PublishedModules.named("core").classes());
        assertThat(dependencies(
                        PublishedModules.named("stores/support").classes(),
                        target -> !inPackages(target, SUPPORT, RECORD, RECORD_STORE, SESSION, SPI)
                                && !known.contains(outermost(target).getName())
                                && !isJdk(target)
                                && !LIBRARIES.contains(target.getPackageName())))
                .isEmpty();
    }

    /** A decision is a function of what it is given, so it has no clock, and support does not depend on it. */
    @Test
    void theRecordUsesTokensAndTheRequestsOfTheSpiOnly() {
        JavaClasses support = PublishedModules.named("stores/support").classes();
        Set<String> forbidden =
                Set.of(SPI + ".Platform", SPI + ".ServerClock", SPI + ".LockStore", SPI + ".StoreConfig");
        assertThat(dependencies(
                        from(support, RECORD),
                        target -> forbidden.contains(outermost(target).getName())
                                || inPackages(target, RECORD_STORE, SESSION)
                                || (inPackages(target, SUPPORT)
                                        && !target.getName().equals(SUPPORT + ".TokenUnits"))))
                .isEmpty();
        assertThat(dependencies(from(support, SUPPORT), target -> inPackages(target, RECORD, RECORD_STORE, SESSION)))
                .isEmpty();
        assertThat(dependencies(from(support, RECORD_STORE), target -> inPackages(target, SESSION)))
                .isEmpty();
    }

    @Test
    void aStoreUsesTheApiSpiAndSupportAndNoOtherStore() {
        for (Module store : PublishedModules.stores()) {
            JavaClasses classes = store.classes();
            Set<String> own = names(classes.stream());
            assertThat(dependencies(
                            classes,
                            target -> isHoldfast(target)
                                    && !own.contains(target.getName())
                                    && !inPackages(target, ROOT, SPI, SUPPORT, RECORD, RECORD_STORE, SESSION)))
                    .as(store.path())
                    .isEmpty();
        }
    }

    @Test
    void testkitUsesNoStoreAndNoEngine() {
        assertThat(dependencies(
                        PublishedModules.named("testkit").classes(),
                        target -> isHoldfast(target)
                                && !target.getPackageName().startsWith(TESTKIT)
                                && !inPackages(target, ROOT, SPI)))
                .isEmpty();
    }

    /** What the SPI itself speaks of, by outermost type: a store cannot be written without these. */
    private static Set<String> rootTypesOfSpi(JavaClasses core) {
        return names(from(core, SPI).stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(Dependency::getTargetClass)
                .map(JavaClass::getBaseComponentType)
                .filter(target -> inPackages(target, ROOT))
                .map(DirectionTest::outermost));
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(DirectionTest::outermost).orElse(type);
    }

    private static Set<String> names(Stream<JavaClass> types) {
        return types.map(HasName::getName).collect(toSet());
    }

    private static List<JavaClass> from(JavaClasses classes, String packageName) {
        List<JavaClass> found = classes.stream()
                .filter(type -> type.getPackageName().equals(packageName))
                .toList();
        assertThat(found).as("types of " + packageName).isNotEmpty();
        return found;
    }

    private static Set<String> dependencies(Iterable<JavaClass> classes, Predicate<JavaClass> forbidden) {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : classes) {
            found.addAll(type.getDirectDependenciesFromSelf().stream()
                    .filter(dependency ->
                            !dependency.getTargetClass().getBaseComponentType().isPrimitive())
                    .filter(dependency ->
                            forbidden.test(dependency.getTargetClass().getBaseComponentType()))
                    .map(Dependency::getDescription)
                    .collect(toCollection(TreeSet::new)));
        }
        return found;
    }

    private static boolean isHoldfast(JavaClass type) {
        return type.getPackageName().equals(ROOT) || type.getPackageName().startsWith(ROOT + ".");
    }

    private static boolean isJdk(JavaClass type) {
        return type.getPackageName().startsWith("java.");
    }

    private static boolean inPackages(JavaClass type, String... packages) {
        return Set.of(packages).contains(type.getPackageName());
    }
}
