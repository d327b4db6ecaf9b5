package io.holdfast.embedded.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("everywhere")
class RedisBinaryTest {

    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, linux-amd64",
        "Linux, aarch64, linux-arm64",
        "Mac OS X, x86_64, darwin-amd64",
        "Mac OS X, aarch64, darwin-arm64"
    })
    void everySupportedPlatformHasItsResource(String os, String arch, String suffix) {
        String resource = RedisBinary.forPlatform(os, arch).resource();

        assertThat(resource).isEqualTo("redis-server-7.0.15-" + suffix);
        assertThat(RedisBinary.class.getClassLoader().getResource(resource)).isNotNull();
    }

    @Test
    void anotherServerIsStartedWhereItIs(@TempDir Path folder) throws IOException {
        Path other = Files.createFile(folder.resolve("valkey-server"));
        assertThatThrownBy(() -> RedisBinary.provide(folder.resolve("none"), other.toString()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("valkey-server is not an executable file");
        assertThat(other.toFile().setExecutable(true)).isTrue();
        Path here = folder.resolve("redis-server");
        RedisBinary.provide(here, other.toString());
        assertThat(here).isSymbolicLink().isExecutable();
    }

    @ParameterizedTest
    @CsvSource({"Windows 11, amd64", "Linux, s390x", "Linux, i386"})
    void anyOtherPlatformIsNamedInTheError(String os, String arch) {
        assertThatThrownBy(() -> RedisBinary.forPlatform(os, arch))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining(os)
                .hasMessageContaining(arch);
    }
}
