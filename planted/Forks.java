import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * Checks faults without Maven: compiles the changed files alone, in front of the class path of the tests, and runs the tests in a
 * JVM of their own. A fault takes seconds this way.
 *
 * <p>{@code Forks TREE FAULTS FILES LANES SECONDS JARS AWAIT < NAMES}: the built checkout, the folder of the faults, the list of
 * its files, the number of faults at a time, the time for all, the folder of the launcher's jars, and the seconds for which a test
 * waits for a condition. Prints the faults that were
 * killed. Faults that were not are printed as {@code MAVEN name}: only a whole build can judge them. That is a fault that
 * survives, because a constant may have been compiled into other classes; one that does not compile alone; and one that changes
 * anything but sources and resources. {@code DONE} is the last line.
 */
final class Forks {

    private static final long TEST_SECONDS = Long.parseLong(System.getenv().getOrDefault("FAULT_TIMEOUT", "300"));

    /** The exit status of java if it cannot start the tests. */
    private static final int NO_TEST_RUN = 1;

    private static final Pattern SOURCE = Pattern.compile("(.+)/src/(main|test)/(java|resources)/(.+)");

    private final Path tree;
    private final Map<String, Faults.Fault> faults;
    private final Faults.Tree files;
    private final Path jars;
    private final String awaitSeconds;
    private final long end;

    /** The options with which the build runs tests on the class path. */
    private final List<String> jvmOptions;

    private final Queue<String> names = new ConcurrentLinkedQueue<>();

    private Forks(String[] args) throws IOException, Faults.Malformed {
        tree = Path.of(args[0]);
        faults = Faults.read(Path.of(args[1]));
        files = new Faults.Tree(args[0], args[2]);
        end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(args[4]));
        jars = Path.of(args[5]);
        awaitSeconds = args[6];
        jvmOptions = List.of(property(Files.readString(tree.resolve("pom.xml")), "holdfast.classPath.jvm").split(" +"));
    }

    public static void main(String[] args) throws Exception {
        Forks forks = new Forks(args);
        forks.names.addAll(new String(System.in.readAllBytes()).lines().toList());
        List<Thread> lanes = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(args[3]); i++) {
            lanes.add(new Thread(forks::work));
        }
        lanes.forEach(Thread::start);
        for (Thread lane : lanes) {
            lane.join();
        }
        System.out.println("DONE");
    }

    private void work() {
        String name;
        while (System.nanoTime() - end < 0 && (name = names.poll()) != null) {
            try {
                Path scratch = Files.createTempDirectory("fault-");
                try {
                    boolean killed = isKilled(faults.get(name), scratch);
                    System.out.println(
                            killed ? "killed    " + name + "  (" + faults.get(name).header("test") + ")" : "MAVEN " + name);
                } finally {
                    delete(scratch);
                }
            } catch (IOException | Faults.Malformed | InterruptedException | RuntimeException e) {
                System.out.println("MAVEN " + name);
            }
        }
    }

    private boolean isKilled(Faults.Fault fault, Path scratch) throws IOException, Faults.Malformed, InterruptedException {
        Path classes = Files.createDirectory(scratch.resolve("classes"));
        Path module = tree.resolve(fault.header("module"));
        String classPath = Stream.of(
                        classes, module.resolve("target/test-classes"), module.resolve("target/classes"), classPathOf(module))
                .map(Object::toString)
                .reduce((one, other) -> one + ":" + other)
                .orElseThrow();
        List<String> sources = new ArrayList<>();
        for (Map.Entry<String, String> edit : edits(fault).entrySet()) {
            Matcher place = SOURCE.matcher(edit.getKey());
            if (!place.matches() || edit.getKey().endsWith("module-info.java")) {
                return false;
            }
            boolean isSource = place.group(3).equals("java");
            Path file = (isSource ? scratch.resolve("sources") : classes).resolve(place.group(4));
            Files.createDirectories(file.getParent());
            Files.writeString(file, edit.getValue());
            if (isSource) {
                sources.add(file.toString());
            }
        }
        return compiles(sources, classes, classPath) && fails(fault, module, classPath, scratch.resolve("log"));
    }

    private Map<String, String> edits(Faults.Fault fault) throws IOException, Faults.Malformed {
        Map<String, String> edits = new LinkedHashMap<>();
        files.edited(fault).forEach((path, text) -> edits.put(tree.relativize(path).toString(), text));
        return edits;
    }

    private static String classPathOf(Path module) throws IOException {
        return Files.readString(module.resolve("target/class-path")).strip();
    }

    private static boolean compiles(List<String> sources, Path classes, String classPath) {
        if (sources.isEmpty()) {
            return true;
        }
        List<String> arguments = new ArrayList<>(
                List.of("-proc:none", "-nowarn", "-parameters", "-d", classes.toString(), "-cp", classPath, "-Xlint:none"));
        arguments.addAll(sources);
        return ToolProvider.getSystemJavaCompiler()
                        .run(null, new Silence(), new Silence(), arguments.toArray(String[]::new))
                == 0;
    }

    /** Returns whether a test fails, or does not end in its time. */
    private boolean fails(Faults.Fault fault, Path module, String classPath, Path log)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto"));
        command.addAll(jvmOptions);
        if (!fault.header("rules").isEmpty()) {
            command.add("-Dholdfast.rules=" + fault.header("rules"));
        }
        // the jars of the launcher last: a module has the version of JUnit that it names
        command.addAll(List.of(
                "-Dh2.bindAddress=127.0.0.1",
                "-Dholdfast.await=" + awaitSeconds,
                "-cp",
                classPath + ":" + jars + "/*:" + jars,
                "TestRun",
                module.resolve("target/test-classes").toString(),
                fault.header("test")));
        Process tests = new ProcessBuilder(command)
                .directory(module.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            boolean ended = tests.waitFor(TEST_SECONDS, TimeUnit.SECONDS);
            String output = Files.readString(log);
            if (ended && tests.exitValue() == NO_TEST_RUN) {
                System.err.println(fault.header("test") + " did not run without Maven: " + output.strip());
            }
            return ended && tests.exitValue() == TestRun.FAILED && !LINKAGE.matcher(output).find();
        } finally {
            tests.descendants().forEach(ProcessHandle::destroyForcibly);
            tests.destroyForcibly().waitFor();
        }
    }

    /** Of a class that was compiled against the file as it was. */
    private static final Pattern LINKAGE = Pattern.compile(
            "NoSuch(Method|Field)Error|AbstractMethodError|IncompatibleClassChangeError|IllegalAccessError");

    /** Returns a property of a pom, with the properties in it replaced. */
    private static String property(String pom, String name) {
        Matcher value = Pattern.compile("<" + Pattern.quote(name) + ">(.*)</").matcher(pom);
        if (!value.find()) {
            throw new IllegalStateException("pom.xml has no property " + name);
        }
        return Pattern.compile("\\$\\{([^}]+)}")
                .matcher(value.group(1))
                .replaceAll(inner -> Matcher.quoteReplacement(property(pom, inner.group(1))));
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static final class Silence extends java.io.OutputStream {
        @Override
        public void write(int b) {}

        @Override
        public void write(byte[] bytes, int from, int length) {}
    }
}
