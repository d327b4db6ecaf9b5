package io.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.Lease;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("everywhere")
class HoldfastConfigTest {

    /** Those that are code. */
    private static final Set<String> NOT_WRITTEN =
            Set.of("listener", "callbackExecutor", "platform", "provider", "build");

    @TempDir
    private Path folder;

    private Path file(String name, String... lines) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("\n", lines) + "\n");
    }

    private HoldfastBuilder yaml(String... lines) throws IOException {
        return HoldfastConfig.read(
                file("holdfast.yaml", lines), Map.of("HOST", "here", "EMPTY", "", "SECRET", "s3cret"));
    }

    private void assertRefused(String text, String... lines) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> yaml(lines))
                .withMessageStartingWith(folder.resolve("holdfast.yaml").toString())
                .withMessageContaining(text)
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("s3cret"));
    }

    @Test
    void everyOptionOfABuilderThatIsNoCodeCanBeWritten() {
        Set<String> options = Arrays.stream(HoldfastBuilder.class.getMethods())
                .filter(method -> method.getDeclaringClass() == HoldfastBuilder.class)
                .map(method -> method.getName())
                .filter(name -> !NOT_WRITTEN.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
        options.add("onMaxHold");
        assertThat(Arrays.stream(Option.values()).map(Option::shown)).containsExactlyInAnyOrderElementsOf(options);
    }

    @Test
    void allOptionsTogetherMakeAClient() throws Exception {
        HoldfastBuilder builder = yaml(
                "# where the locks are",
                "uri: memory:config-test",
                "name: ${NAME:-orders}-${HOST}",
                "keyPrefix: 'a$$b:'",
                "lease: 7s",
                "commandTimeout: PT3S",
                "connectTimeout: 2s",
                "lazy: true",
                "recordPlaces: true",
                "safety: async",
                "maxOutage: 1m",
                "closeTimeout: 1s",
                "pollInterval: 500ms",
                "renewalBatch: 10",
                "maxHold: 12h",
                "onMaxHold: stop-renewing");
        try (Holdfast client = builder.build();
                Holdfast other = Holdfast.connect("memory:config-test");
                Lease lease = client.lock("n").acquire()) {
            assertThat(lease.remainingLease()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(7));
            assertThat(other.lock("a$b:n").holder().orElseThrow().client().name())
                    .hasValue("orders-here");
            assertThat(other.lock("a$b:n").holder().orElseThrow().place())
                    .hasValueSatisfying(place -> assertThat(place).startsWith("acquired at "));
        }
    }

    @Test
    void propertiesAreReadAlike() throws Exception {
        Path file = file("holdfast.properties", "uri=memory:", "lease = 2s", "name=${NAME:-x}");
        try (Holdfast client = HoldfastConfig.read(file).build();
                Lease lease = client.lock("n").acquire()) {
            assertThat(lease.remainingLease()).isLessThan(Duration.ofSeconds(2));
        }
    }

    @Test
    void whatIsSetAfterwardsGoesBefore() throws Exception {
        try (Holdfast client = yaml("uri: redis://nowhere", "lease: 30s")
                        .uri("memory:")
                        .build();
                Lease lease = client.lock("n").acquire()) {
            assertThat(lease.isValid()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "leese, lease",
        "command-timeout, commandTimeout",
        "command_timeout, commandTimeout",
        "url, uri",
        "maxhold, maxHold",
        "pollinterval, pollInterval",
        "prefix, keyPrefix"
    })
    void anUnknownOptionIsRefusedWithTheNearestOne(String wrong, String right) {
        assertRefused("there is no option '" + wrong + "'; did you mean '" + right + "'?", wrong + ": 1s");
    }

    @Test
    void aWrongValueIsRefusedWithItsOption() {
        assertRefused("'lease' cannot be used as '30': it must be a time like 500ms", "lease: 30");
        assertRefused("'lease' cannot be used as '1ms': lease", "lease: 1ms");
        assertRefused(
                "'pollInterval' cannot be used as '21s': pollInterval PT21S is out of range: above zero, at most 20 s",
                "pollInterval: 21s");
        assertRefused("'lazy' cannot be used as 'maybe': it must be true or false", "lazy: maybe");
        assertRefused("'renewalBatch' cannot be used as '0': renewalBatch 0 is out of range", "renewalBatch: 0");
        assertRefused("'renewalBatch' cannot be used as 'x': it must be a number", "renewalBatch: x");
        assertRefused(
                "'safety' cannot be used as 'both': it must be async, durable, or replicated(n) or durable(n)",
                "safety: both");
        assertRefused("'safety' cannot be used as 'replicated(0)': replicas 0", "safety: replicated(0)");
        assertRefused("it needs maxHold, the time after which it applies", "onMaxHold: warn");
        assertRefused("it must be one of warn, stop-renewing", "maxHold: 5m", "onMaxHold: kill");
        assertRefused("'lease' has several values; it needs exactly one", "lease: [1s, 2s]");
        assertRefused("'lease' has no value; it needs exactly one", "lease:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"replicated(2)", "durable", "durable(1)"})
    void aSafetyIsWrittenAsItIsShown(String safety) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> yaml("uri: memory:x", "safety: " + safety).build())
                .withMessageStartingWith("safety " + safety + ": a store of the scheme 'memory'");
    }

    @Test
    void aVariableThatIsNotSetIsNamed() {
        assertRefused("'name' needs the variable WHO, which is not set; ${WHO:-text}", "name: a-${WHO}");
        assertRefused("in 'name', a $ must be followed by {NAME}", "name: a$b");
        assertRefused("'name' cannot be used as ''", "name: ${EMPTY}");
    }

    @Test
    void aVariableThatIsEmptyHasItsText() throws IOException {
        try (Holdfast client = yaml("uri: ${EMPTY:-memory:}").build()) {
            assertThat(client.clientId()).isNotEmpty();
        }
    }

    @Test
    void aFileThatIsNoYamlIsRefusedByItsLine() {
        assertRefused(", line 2: it is not YAML", "name: x", "uri: redis://:s3cret@h: [");
        assertRefused("it has no options", "just text");
        assertRefused("it is not YAML", "lease: 1s", "lease: 2s");
        assertRefused("it is not YAML", "lease: 1s", "---", "lease: 2s");
    }

    @Test
    void aPasswordIsNotShown() {
        assertRefused("'uri' cannot be used", "uri: //:${SECRET}@host");
        assertRefused("'uri' cannot be used", "uri: ${SECRET}");
        assertRefused("it is not YAML", "uri: !s3cret redis://host");
        assertRefused("it is not YAML", "uri: *s3cret");
        assertRefused("it is not YAML", "uri: \"redis://:\\s3cret@host\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> yaml("uri: nosuch://:${SECRET}@host").build())
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("s3cret"));
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> HoldfastConfig.read(folder.resolve("none.yaml")))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("none.yaml");
    }

    @Test
    void anEmptyFileSaysNothing() throws Exception {
        try (Holdfast client = yaml("# nothing").uri("memory:").build();
                Lease lease = client.lock("n").acquire()) {
            assertThat(lease.isValid()).isTrue();
        }
    }
}
