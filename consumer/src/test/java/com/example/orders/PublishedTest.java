package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What lies in the folder is complete, is what Maven Central takes, and says nothing that only the build needs. */
class PublishedTest {

    private static final String MANAGED = "/project/dependencyManagement/dependencies/dependency";

    @Test
    void theBomListsAllThatIsPublishedAndNothingElse() throws Exception {
        Published bom = Published.bom();
        assertThat(bom.inPom(MANAGED + "/artifactId"))
                .containsExactlyInAnyOrderElementsOf(
                        Published.jars().stream().map(Published::name).toList());
        assertThat(bom.inPom(MANAGED + "/groupId")).containsOnly("io.holdfast");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "name",
                "description",
                "url",
                "licenses/license/name",
                "developers/developer/name",
                "scm/connection",
                "scm/url"
            })
    void everyPomSaysWhatCentralAsks(String element) throws Exception {
        for (Published artifact : Published.all()) {
            assertThat(artifact.inPom("/project/" + element))
                    .as(element + " of " + artifact)
                    .hasSize(1)
                    .doesNotContain("");
        }
    }

    @ParameterizedTest
    @MethodSource("com.example.orders.Published#all")
    void aPomStandsAlone(Published artifact) throws Exception {
        assertThat(artifact.inPom("/project/version")).containsExactly(Published.VERSION);
        for (String element : List.of("parent", "build", "profiles", "modules", "repositories", "properties")) {
            assertThat(artifact.inPom("/project/" + element)).as(element).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("com.example.orders.Published#jars")
    void dependenciesAreThoseOfUsers(Published artifact) throws Exception {
        String dependency = "/project/dependencies/dependency";
        assertThat(artifact.inPom(dependency)).hasSameSizeAs(artifact.inPom(dependency + "/version"));
        assertThat(artifact.inPom(dependency + "/scope")).doesNotContain("test", "system", "import");
        assertThat(artifact.inPom(dependency + "[artifactId='jspecify']/scope")).doesNotContain("provided");
        assertThat(artifact.inPom("/project/dependencyManagement")).isEmpty();
    }

    /** The one that the build compared with the list of minimum versions, and not the one that the driver asks for. */
    @Test
    void usersGetOneVersionOfNetty() throws Exception {
        Published redis = Published.jars().stream()
                .filter(artifact -> artifact.name().equals("holdfast-redis"))
                .findFirst()
                .orElseThrow();
        List<String> asked = redis.inPom("/project/dependencies/dependency[groupId='io.netty']/version");
        List<String> got = Stream.of(Files.readString(Path.of(System.getProperty("consumer.path")))
                        .split(File.pathSeparator))
                .map(Path::of)
                .filter(jar -> jar.getFileName().toString().startsWith("netty-"))
                .map(jar -> jar.getParent().getFileName().toString())
                .toList();
        assertThat(asked).isNotEmpty();
        assertThat(got).isNotEmpty().containsOnly(asked.get(0));
    }

    /** A release with the placeholder of an address cannot be taken back. */
    @ParameterizedTest
    @MethodSource("com.example.orders.Published#all")
    void aReleaseHasAnAddress(Published artifact) throws Exception {
        boolean placeholder = artifact.inPom("/project/url | /project/scm/*").stream()
                .anyMatch(address -> address.contains(".example"));
        assertThat(placeholder && !Published.VERSION.endsWith("-SNAPSHOT"))
                .as("placeholder in " + Published.VERSION)
                .isFalse();
    }

    @ParameterizedTest
    @MethodSource("com.example.orders.Published#jars")
    void aJarHasItsLicenceAndItsVersion(Published artifact) throws IOException {
        assertThat(Published.entries(artifact.jar())).contains("/META-INF/LICENSE", "/META-INF/NOTICE");
        try (JarFile jar = new JarFile(artifact.jar().toFile())) {
            assertThat(jar.getManifest().getMainAttributes().getValue("Implementation-Version"))
                    .isEqualTo(Published.VERSION);
        }
    }

    @ParameterizedTest
    @MethodSource("com.example.orders.Published#jars")
    void aJarIsAModuleWithALastingName(Published artifact) {
        assertThat(ModuleFinder.of(artifact.jar()).findAll())
                .extracting(ModuleReference::descriptor)
                .extracting(descriptor -> descriptor.name())
                .containsExactly(moduleName(artifact));
    }

    @ParameterizedTest
    @MethodSource("com.example.orders.Published#jars")
    void sourcesAndJavadocAreThere(Published artifact) throws IOException {
        assertThat(Published.entries(artifact.sources())).anyMatch(entry -> entry.endsWith(".java"));
        assertThat(Published.entries(artifact.javadoc())).contains("/index.html");
    }

    private static String moduleName(Published artifact) {
        String rest = artifact.name().substring("holdfast".length()).replace('-', '.');
        return rest.equals(".core") ? "io.holdfast" : "io.holdfast" + rest;
    }
}
