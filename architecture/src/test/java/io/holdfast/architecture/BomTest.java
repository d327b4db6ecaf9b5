package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.architecture.PublishedModules.Module;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The BOM lists what is published, so that users name one version. */
class BomTest {

    @Test
    void theBomListsEveryPublishedModuleAndNothingElse() {
        List<String> published =
                PublishedModules.all().stream().map(Module::artifactId).toList();
        assertThat(PublishedModules.inBom()).containsExactlyInAnyOrderElementsOf(published);
    }
}
