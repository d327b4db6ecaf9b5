package io.holdfast.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/**
 * Time, threads, randomness and the common pool reach core through {@code Platform} only, so that the same code runs in
 * production and in virtual time. Types with {@code Platform} in their name are where they come in.
 */
class SeamTest {

    /** Type, {@code #}, method; {@code *} for any method, {@code <init>} for a constructor, a trailing {@code *} for a prefix. */
    private static final List<String> FORBIDDEN = List.of(
            // time
            "java.lang.System#nanoTime",
            "java.lang.System#currentTimeMillis",
            "java.time.Clock#*",
            "java.time.InstantSource#*",
            "java.time.Instant#now",
            "java.time.LocalDate#now",
            "java.time.LocalTime#now",
            "java.time.LocalDateTime#now",
            "java.time.OffsetDateTime#now",
            "java.time.ZonedDateTime#now",
            "java.util.Date#<init>",
            "java.util.Timer#*",
            "java.util.Timer#<init>",
            // threads
            "java.lang.Thread#<init>",
            "java.lang.Thread#start",
            "java.lang.Thread#startVirtualThread",
            "java.lang.Thread#ofVirtual",
            "java.lang.Thread#ofPlatform",
            "java.lang.Thread#sleep",
            "java.lang.Thread#join",
            "java.lang.Thread#getStackTrace",
            "java.lang.Thread#getAllStackTraces",
            "java.lang.Object#wait",
            "java.util.concurrent.TimeUnit#sleep",
            "java.util.concurrent.locks.LockSupport#park*",
            "java.util.concurrent.locks.Condition#await*",
            "java.util.concurrent.CountDownLatch#await",
            "java.util.concurrent.Executors#*",
            "java.util.concurrent.ThreadPoolExecutor#<init>",
            "java.util.concurrent.ScheduledThreadPoolExecutor#<init>",
            // the common pool, and the delay thread behind it
            "java.util.concurrent.ForkJoinPool#*",
            "java.util.concurrent.ForkJoinPool#<init>",
            "java.util.concurrent.CompletableFuture#orTimeout",
            "java.util.concurrent.CompletableFuture#completeOnTimeout",
            "java.util.concurrent.CompletableFuture#delayedExecutor",
            "java.util.Collection#parallelStream",
            "java.util.stream.BaseStream#parallel",
            "java.util.stream.Stream#parallel",
            // randomness
            "java.lang.Math#random",
            "java.util.Random#*",
            "java.util.Random#<init>",
            "java.util.SplittableRandom#*",
            "java.util.SplittableRandom#<init>",
            "java.util.concurrent.ThreadLocalRandom#*",
            "java.security.SecureRandom#*",
            "java.security.SecureRandom#<init>",
            "java.util.random.RandomGenerator#*",
            "java.util.UUID#randomUUID");

    private static final Set<String> FUTURES =
            Set.of("java.util.concurrent.CompletableFuture", "java.util.concurrent.CompletionStage");

    @Test
    void coreGetsThemFromThePlatform() {
        assertThat(forbiddenAccesses(PublishedModules.named("core").classes())).isEmpty();
    }

    @Test
    void decisionsHaveNone() {
        assertThat(forbiddenAccesses(
                        PublishedModules.named("stores/support").classes().that(resideInAPackage("..record"))))
                .isEmpty();
    }

    /** The rule itself, on a class that breaks it in each way. */
    @Test
    void theRuleFindsWhatItForbids() {
        Set<String> found = forbiddenAccesses(new ClassFileImporter().importClasses(Offender.class));
        assertThat(found).hasSize(Offender.OFFENCES).noneMatch(access -> access.contains(".allowed"));
    }

    private static Set<String> forbiddenAccesses(JavaClasses classes) {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : classes) {
            if (outermost(type).getSimpleName().contains("Platform")) {
                continue;
            }
            for (JavaAccess<?> access : type.getAccessesFromSelf()) {
                if (!(access instanceof JavaFieldAccess) && isForbidden(access)) {
                    found.add(access.getDescription());
                }
            }
        }
        return found;
    }

    private static boolean isForbidden(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getName();
        String method = access.getTarget().getName();
        return FORBIDDEN.stream().anyMatch(entry -> matches(entry, owner, method))
                || (FUTURES.contains(owner) && method.endsWith("Async") && !takesExecutor(access));
    }

    private static boolean matches(String entry, String owner, String method) {
        int split = entry.indexOf('#');
        String pattern = entry.substring(split + 1);
        boolean sameMethod = pattern.endsWith("*")
                ? !method.startsWith("<") && method.startsWith(pattern.substring(0, pattern.length() - 1))
                : method.equals(pattern);
        return sameMethod && owner.equals(entry.substring(0, split));
    }

    private static boolean takesExecutor(JavaAccess<?> access) {
        return access.getTarget() instanceof CodeUnitAccessTarget target
                && target.getRawParameterTypes().stream()
                        .map(HasName::getName)
                        .anyMatch(Executor.class.getName()::equals);
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(SeamTest::outermost).orElse(type);
    }

    /** Never run. */
    @SuppressWarnings("unused")
    private static final class Offender {

        static final int OFFENCES = 16;

        static final LongSupplier REFERENCE = System::nanoTime;

        static long time() {
            return System.currentTimeMillis() + Instant.now().toEpochMilli();
        }

        static Thread thread() throws InterruptedException {
            Thread.sleep(1L);
            LockSupport.parkNanos(1L);
            return new Thread(Thread.currentThread().getStackTrace().length + "");
        }

        static CompletableFuture<Void> pool() {
            ForkJoinPool.commonPool().execute(Offender::allowed);
            return CompletableFuture.runAsync(Offender::allowed, Executors.newCachedThreadPool())
                    .thenRunAsync(Offender::allowed);
        }

        static long randomness() {
            return new Random().nextLong()
                    ^ ThreadLocalRandom.current().nextLong()
                    ^ UUID.randomUUID().getLeastSignificantBits();
        }

        static void allowed() {
            Thread.currentThread().interrupt();
        }

        static CompletableFuture<Void> allowedPool(Executor executor) {
            return CompletableFuture.runAsync(Offender::allowed, executor).thenRunAsync(Offender::allowed, executor);
        }
    }
}
