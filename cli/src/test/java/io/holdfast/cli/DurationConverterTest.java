package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationConverterTest {

    @ParameterizedTest
    @CsvSource({"500us, PT0.0005S", "2ms, PT0.002S", "10s, PT10S", "5m, PT5M", "0ms, PT0S"})
    void readsTimes(String text, Duration time) {
        assertThat(new DurationConverter().convert(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2", "ms", "-2ms", "2 ms", "1.5s", "PT2S", "9999999999s"})
    void refusesTheRest(String text) {
        assertThatThrownBy(() -> new DurationConverter().convert(text)).isInstanceOf(TypeConversionException.class);
    }
}
