package io.holdfast.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.TokenBlock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The tokens of a tenure whose blocks are used up. */
class TokenSupplyTest {

    private final TokenSupply tokens = new TokenSupply(true);

    private List<Long> takeAll() {
        List<Long> taken = new ArrayList<>();
        while (tokens.available() && taken.size() < 100) {
            taken.add(tokens.take());
        }
        return taken;
    }

    @Test
    void theSpareBlockFollowsTheLastTokenOfThePresentOne() {
        tokens.adopt(new TokenBlock(1, 3));
        assertThat(List.of(tokens.take(), tokens.take())).containsExactly(1L, 2L);
        tokens.refill(new TokenBlock(10, 11));
        assertThat(takeAll()).containsExactly(3L, 10L, 11L);
    }

    @Test
    void aRefillOfAnEmptySupplyIsUsedAtOnce() {
        tokens.adopt(new TokenBlock(1, 2));
        assertThat(takeAll()).hasSize(2);
        tokens.refill(new TokenBlock(10, 11));
        assertThat(takeAll()).containsExactly(10L, 11L);
    }

    @Test
    void aRefillThatWasOvertakenIsIgnored() {
        tokens.adopt(new TokenBlock(10, 11));
        tokens.refill(new TokenBlock(5, 6));
        assertThat(takeAll()).containsExactly(10L, 11L);
        tokens.refill(new TokenBlock(7, 8));
        assertThat(takeAll()).isEmpty();
    }

    @Test
    void noBlockIsUsedUpToTheFloor() {
        tokens.adopt(new TokenBlock(1, 3));
        tokens.refill(new TokenBlock(10, 12));
        tokens.raiseFloor(10);
        assertThat(takeAll()).containsExactly(11L, 12L);
        tokens.adopt(new TokenBlock(20, 21));
        tokens.refill(new TokenBlock(30, 31));
        tokens.raiseFloor(31);
        assertThat(takeAll()).isEmpty();
        tokens.raiseFloor(41);
        tokens.adopt(new TokenBlock(40, 43));
        assertThat(takeAll()).containsExactly(42L, 43L);
    }
}
