package io.holdfast.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.TokenBlock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("everywhere")
class TokenUnitsTest {

    private static final long CLOCK = 1_735_689_600_000_000L;

    @Test
    void aUnitIs1024Tokens() {
        assertThat(TokenUnits.tokens(3, 1)).isEqualTo(new TokenBlock(3 * 1024, 4 * 1024 - 1));
        assertThat(TokenUnits.tokens(3, 2)).isEqualTo(new TokenBlock(3 * 1024, 5 * 1024 - 1));
    }

    @Test
    void unitsAreRoundedUp() {
        assertThat(TokenUnits.units(0)).isZero();
        assertThat(TokenUnits.units(1)).isEqualTo(1);
        assertThat(TokenUnits.units(1024)).isEqualTo(1);
        assertThat(TokenUnits.units(1025)).isEqualTo(2);
        assertThat(TokenUnits.units(9_000 * 1024)).isEqualTo(9_000);
        assertThat(TokenUnits.units(Long.MAX_VALUE)).isEqualTo(1L << 53);
    }

    @Test
    void blocksOfUnitsInARowAreAdjacent() {
        TokenBlock block = TokenUnits.tokens(CLOCK, 5);
        assertThat(block.first()).isPositive();
        assertThat(TokenUnits.tokens(CLOCK + 5, 1).first()).isEqualTo(block.last() + 1);
        assertThat(TokenUnits.tokens(CLOCK - 1, 1).last()).isEqualTo(block.first() - 1);
    }

    @Test
    void aTokenIsOfTheUnitThatItWasGivenWith() {
        TokenBlock block = TokenUnits.tokens(CLOCK, 5);
        assertThat(TokenUnits.unit(block.first())).isEqualTo(CLOCK);
        assertThat(TokenUnits.unit(block.first() + 1023)).isEqualTo(CLOCK);
        assertThat(TokenUnits.unit(block.first() + 1024)).isEqualTo(CLOCK + 1);
        assertThat(TokenUnits.unit(block.last())).isEqualTo(CLOCK + 4);
    }

    @Test
    void theLastTokenOfAUnit() {
        assertThat(TokenUnits.lastOf(CLOCK + 4))
                .hasValue(TokenUnits.tokens(CLOCK, 5).last());
    }

    @Test
    void noUnitHasNoLastToken() {
        assertThat(TokenUnits.lastOf(0)).isEmpty();
    }
}
