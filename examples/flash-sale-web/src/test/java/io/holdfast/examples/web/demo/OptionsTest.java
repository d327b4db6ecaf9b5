package io.holdfast.examples.web.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.examples.web.Way;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class OptionsTest {

    @Test
    void allWaysOnRedisAreTheDefault() {
        assertThat(Options.of(List.of("--web"))).isEqualTo(new Options(false, List.of(Way.values()), false));
    }

    @Test
    void storeAndWaysCanBeChosen() {
        assertThat(Options.of(List.of("--postgres", "--web", "--ways", "lock,none")))
                .isEqualTo(new Options(true, List.of(Way.LOCK, Way.NONE), false));
    }

    @Test
    void whatIsWrongIsNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.of(List.of("--ways", "luck")))
                .withMessage("there is no way 'luck', only none, setnx, lock, segmented, allotment");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.of(List.of("--stock")))
                .withMessage("unknown argument '--stock'");
    }

    @Test
    void wrongArgumentsAndHelpHaveTheExitCodesOfTheOtherDemo() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);

        assertThat(WebDemo.run(new String[] {"--web", "--nothing"}, stream, stream))
                .isEqualTo(2);
        assertThat(WebDemo.run(new String[] {"--web", "--help"}, stream, stream))
                .isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("unknown argument '--nothing'", "Usage:");
    }
}
