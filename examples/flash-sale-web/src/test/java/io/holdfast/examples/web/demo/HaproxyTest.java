package io.holdfast.examples.web.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.examples.web.Paths;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The configuration of HAProxy beside the module. */
class HaproxyTest {

    private static final Path CONFIGURATION = Path.of("haproxy.cfg").toAbsolutePath();

    @Test
    void itHasThePathsPortsAndTimesOfTheProxy() throws IOException {
        ReverseProxy.Limits limits = ReverseProxy.Limits.USUAL;
        List<String> lines =
                Files.readAllLines(CONFIGURATION).stream().map(String::strip).toList();

        assertThat(lines)
                .contains(
                        "bind 127.0.0.1:\"${SHOP_PORT}\"",
                        "server one 127.0.0.1:\"${SHOP_ONE}\"",
                        "server two 127.0.0.1:\"${SHOP_TWO}\"",
                        "option httpchk GET " + Paths.PING,
                        "timeout connect " + limits.connect().toMillis() + "ms",
                        "timeout server " + limits.answer().toSeconds() + "s",
                        "timeout check " + limits.probe().toMillis() + "ms",
                        "balance roundrobin",
                        "retry-on conn-failure")
                .anyMatch(line -> line.startsWith("default-server check inter "
                                + limits.interval().toMillis() + "ms fall 1 rise 1")
                        && line.endsWith("on-marked-down shutdown-sessions"));
    }

    /** HAProxy is no part of the build. Where it is installed, it checks the file, too. */
    @Test
    void haproxyAcceptsItWhereItIsInstalled() throws Exception {
        Optional<Path> haproxy = haproxy();
        if (haproxy.isPresent()) {
            requireAccepted(haproxy.get());
        }
    }

    private static void requireAccepted(Path haproxy) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(haproxy.toString(), "-c", "-f", CONFIGURATION.toString()).redirectErrorStream(true);
        builder.environment().put("SHOP_PORT", "18080");
        builder.environment().put("SHOP_ONE", "18081");
        builder.environment().put("SHOP_TWO", "18082");

        Process check = builder.start();

        assertThat(check.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(check.exitValue())
                .as(new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isZero();
    }

    private static Optional<Path> haproxy() {
        return Arrays.stream((System.getenv("PATH") + ":/usr/sbin").split(":", -1))
                .map(folder -> Path.of(folder, "haproxy"))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
