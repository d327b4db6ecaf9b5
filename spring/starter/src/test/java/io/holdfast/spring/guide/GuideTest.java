package io.holdfast.spring.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.LockTimeoutException;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The examples of docs/spring-boot.md run, and its properties are accepted. */
class GuideTest {

    private static final Pattern PROPERTIES = Pattern.compile("(?ms)^```properties *\\n(.*?)^```");

    private final String uri = "memory:" + UUID.randomUUID();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import({Shipping.class, Jobs.class, Outbox.class, Cleanup.class})
    static class Application {}

    private ConfigurableApplicationContext start(List<String> properties) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(properties.toArray(String[]::new))
                .run("--holdfast.uri=" + uri, "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());
    }

    @Test
    void theExamplesRun() throws Exception {
        try (ConfigurableApplicationContext application = start(List.of());
                Holdfast other = Holdfast.connect(uri)) {
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            jdbc.execute("create table orders (id bigint, state varchar(10), token bigint)");
            jdbc.update("insert into orders values (42, 'NEW', 0)");
            assertThat(application.getBean(Shipping.class).ship(42, 0)).isTrue();
            assertThat(application.getBean(Shipping.class).ship(43, 0)).isFalse();
            Cleanup cleanup = application.getBean(Cleanup.class);
            other.lock("cleanup").run(cleanup::cleanup);
            assertThat(cleanup.log()).isEmpty();
            other.lock("rates").run(() -> assertThat(cleanup.rates("EUR")).containsExactly("cached EUR"));
            other.semaphore("downloads").setPermits(2);
            assertThat(cleanup.download("a").get(20, TimeUnit.SECONDS)).isEqualTo("downloaded a");
            assertThat(cleanup.isBusy("rates")).isFalse();
            assertThat(new BusyLocks()
                            .busy(new LockTimeoutException("rates", "held"))
                            .getDetail())
                    .isEqualTo("in use, try again: rates");
            application.getBean(Jobs.class).report();
            assertThat(application.getBean(Jobs.class).log()).contains("report");
            List<String> log = application.getBean(Outbox.class).log();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (log.stream().noneMatch(line -> line.startsWith("sent with token "))) {
                assertThat(System.nanoTime() - deadline).isNegative();
                Thread.sleep(10);
            }
            assertThat(log).contains("leads outbox");
        }
    }

    @Test
    void thePropertiesOfThePageAreAccepted() throws IOException {
        List<String> blocks = blocks();
        assertThat(blocks).isNotEmpty();
        for (String block : blocks) {
            Properties read = new Properties();
            read.load(new StringReader(block));
            List<String> lines = new ArrayList<>();
            read.forEach(
                    (name, value) -> lines.add(name + "=" + (name.toString().endsWith(".uri") ? uri : value)));
            start(lines).close();
        }
    }

    private static List<String> blocks() throws IOException {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("mvnw"))) {
            folder = folder.getParent();
        }
        Matcher found = PROPERTIES.matcher(Files.readString(folder.resolve("docs/spring-boot.md")));
        return found.results().map(result -> result.group(1)).toList();
    }
}
