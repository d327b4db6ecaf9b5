package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The dashboard and the documentation name the meters that exist. */
class DashboardTest {

    private static final Path DOCS = docs();

    /** A client that has acquired, released, waited in vain and lost. */
    private static <R extends MeterRegistry> R used(R registry) {
        try (Holdfast client = Holdfast.connect("memory:")) {
            HoldfastMetrics.of(client).bindTo(registry);
            client.lock("n").run(() -> {});
        }
        return registry;
    }

    @Test
    void theDashboardNamesSeriesThatPrometheusReceives() throws IOException {
        String scraped =
                used(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT)).scrape();
        Set<String> named = words("\\bholdfast_[a-z_]+", Files.readString(DOCS.resolve("grafana-dashboard.json")));
        assertThat(named)
                .hasSizeGreaterThan(20)
                .allSatisfy(series -> assertThat(scraped).containsPattern("(?m)^" + series + "[ {]"));
    }

    @Test
    void theDashboardShowsEveryMeter() throws IOException {
        String dashboard = Files.readString(DOCS.resolve("grafana-dashboard.json"));
        assertThat(meters()).allSatisfy(meter -> assertThat(dashboard).contains(meter.replace('.', '_')));
    }

    @Test
    void theDocumentationListsEveryMeter() throws IOException {
        String page = Files.readString(DOCS.resolve("spring-boot.md"));
        Set<String> listed = words("(?m)`holdfast\\.[a-z.]+`(?=[^\\n]*\\|)", page).stream()
                .map(word -> word.replace("`", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(listed).containsAll(meters());
    }

    private static Set<String> meters() {
        return used(new SimpleMeterRegistry()).getMeters().stream()
                .map(Meter::getId)
                .map(Meter.Id::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> words(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Path docs() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("mvnw"))) {
            folder = folder.getParent();
        }
        return folder.resolve("docs");
    }
}
