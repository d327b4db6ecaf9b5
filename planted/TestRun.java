import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the tests that a fault names, until the first one fails: {@code TestRun FOLDER_OF_TEST_CLASSES TEST}. The form of TEST is
 * that of Surefire: {@code Class}, {@code Class#method+other*}, and several of them with commas.
 *
 * <p>Exits with {@value #PASSED} if all pass, {@value #FAILED} if one fails, and {@value #NONE} if there is none.
 */
final class TestRun {

    static final int PASSED = 0;
    static final int FAILED = 101;
    static final int NONE = 102;

    /** Tests of a class; all of them if no method is named. */
    private record Chosen(String className, List<Pattern> methods) {

        static Chosen parse(String text) {
            String[] parts = text.strip().split("#", 2);
            List<Pattern> methods = parts.length == 1
                    ? List.of()
                    : Arrays.stream(parts[1].split("\\+"))
                            .map(glob -> Pattern.compile(Arrays.stream(glob.split("\\*", -1))
                                    .map(Pattern::quote)
                                    .collect(Collectors.joining(".*"))))
                            .toList();
            return new Chosen(parts[0], methods);
        }

        boolean isOf(String qualified) {
            return qualified.equals(className) || qualified.endsWith("." + className);
        }

        boolean has(String qualified, String method) {
            return isOf(qualified)
                    && (methods.isEmpty()
                            || methods.stream().anyMatch(glob -> glob.matcher(method).matches()));
        }
    }

    private TestRun() {}

    public static void main(String[] args) throws IOException {
        List<Chosen> chosen =
                Arrays.stream(args[1].split(",")).map(Chosen::parse).toList();
        List<String> classes = classes(Path.of(args[0])).stream()
                .filter(name -> chosen.stream().anyMatch(each -> each.isOf(name)))
                .toList();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(classes.stream().map(name -> selectClass(name)).toList())
                .filters((PostDiscoveryFilter) test -> FilterResult.includedIf(isChosen(test, chosen)))
                .build();
        AtomicLong passed = new AtomicLong();
        AtomicBoolean failed = new AtomicBoolean();
        LauncherFactory.create().execute(request, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                    System.out.println(test.getDisplayName() + ": " + result.getThrowable().orElse(null));
                    failed.set(true);
                    // in another thread, as this one may hold what the hooks of the exit wait for
                    new Thread(() -> System.exit(FAILED)).start();
                } else if (test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
                    passed.incrementAndGet();
                }
            }
        });
        // after the last test, this thread may be the first to exit
        System.exit(failed.get() ? FAILED : passed.get() == 0 ? NONE : PASSED);
    }

    private static List<String> classes(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(file -> folder.relativize(file).toString())
                    .filter(file -> file.endsWith(".class") && !file.contains("$"))
                    .map(file -> file.substring(0, file.length() - ".class".length()).replace('/', '.'))
                    .toList();
        }
    }

    /** A method that the class inherits counts as its own. */
    private static boolean isChosen(TestDescriptor test, List<Chosen> chosen) {
        return test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .map(method -> chosen.stream()
                        .anyMatch(each -> each.has(outermost(method.getClassName()), method.getMethodName())))
                .orElse(true);
    }

    private static String outermost(String className) {
        return className.replaceFirst("\\$.*", "");
    }
}
