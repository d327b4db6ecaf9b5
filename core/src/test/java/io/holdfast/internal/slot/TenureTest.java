package io.holdfast.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import org.junit.jupiter.api.Test;

class TenureTest {

    private final Tenure tenure = new Tenure(new TenureId("client", 1), Share.WRITE);

    @Test
    void whatIsLeftOfABlockGoesBack() {
        tenure.tokens.requestMore();
        tenure.tokens.adopt(new TokenBlock(1_000, 20_000));
        assertThat(tenure.tokens.take()).isEqualTo(1_000);
        assertThat(tenure.highestUsedToken()).isEqualTo(1_000);
    }

    /** The store has given that one tokens above the block. */
    @Test
    void nothingGoesBackWhenTheOwnerHasAnotherTenureBeside() {
        tenure.tokens.requestMore();
        tenure.tokens.adopt(new TokenBlock(1_000, 20_000));
        tenure.tokens.take();
        tenure.ownerHoldsAnother = true;
        assertThat(tenure.highestUsedToken()).isZero();
    }

    /** Others who read have tokens above the block. */
    @Test
    void nothingGoesBackFromOneAmongThoseWhoRead() {
        Tenure reader = new Tenure(new TenureId("client", 2), Share.READ);
        reader.tokens.requestMore();
        reader.tokens.adopt(new TokenBlock(1_000, 20_000));
        reader.tokens.take();
        assertThat(reader.highestUsedToken()).isZero();
    }

    @Test
    void nothingGoesBackWhenAFloorWasSet() {
        tenure.tokens.requestMore();
        tenure.tokens.adopt(new TokenBlock(1_000, 20_000));
        tenure.tokens.raiseFloor(5_000);
        assertThat(tenure.tokens.take()).isEqualTo(5_001);
        assertThat(tenure.highestUsedToken()).isZero();
    }
}
