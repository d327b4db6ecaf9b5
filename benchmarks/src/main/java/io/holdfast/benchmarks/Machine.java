package io.holdfast.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The setting of a run, for its report: machine, versions and arguments. */
final class Machine {

    private Machine() {}

    /** Returns the setting of this process, with the given arguments and server. */
    static Map<String, String> here(String server, List<String> arguments) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        facts.put("command", ("./holdfast bench " + String.join(" ", arguments)).trim());
        facts.put("processors", Runtime.getRuntime().availableProcessors() + " x " + processor());
        facts.put(
                "system",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
        facts.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        facts.put("server", server);
        facts.put("redisson", version("org.redisson.Redisson"));
        facts.put("lettuce", version("io.lettuce.core.RedisClient"));
        facts.put("netty", version("io.netty.channel.Channel"));
        return facts;
    }

    private static String version(String type) {
        try {
            String version = Class.forName(type).getPackage().getImplementationVersion();
            return version == null ? "unknown" : version;
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String processor() {
        Path info = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(info)) {
            return "unknown";
        }
        try (Stream<String> lines = Files.lines(info)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
