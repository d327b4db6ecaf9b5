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
        tenure.tokens.wantMore();
        tenure.tokens.adopt(new TokenBlock(1_000, 20_000));
        assertThat(tenure.tokens.take()).isEqualTo(1_000);
        assertThat(tenure.usedUpTo()).isEqualTo(1_000);
    }

    /** The store has given that one tokens above the block. */
    @Test
    void nothingGoesBackWhenTheOwnerHasAnotherTenureBeside() {
        tenure.tokens.wantMore();
        tenure.tokens.adopt(new TokenBlock(1_000, 20_000));
        tenure.tokens.take();
        tenure.escorted = true;
        assertThat(tenure.usedUpTo()).isZero();
    }

    /** Others who read have tokens above the block. */
    @Test
    void nothingGoesBackFromOneAmongThoseWhoRead() {
        Tenure upgradeable = new Tenure(new TenureId("client", 2), Share.UPGRADE);
        upgradeable.tokens.wantMore();
        upgradeable.tokens.adopt(new TokenBlock(1_000, 20_000));
        upgradeable.tokens.take();
        assertThat(upgradeable.usedUpTo()).isZero();
    }

    @Test
    void nothingGoesBackWhenAFloorWasSet() {
        tenure.tokens.wantMore();
        tenure.tokens.adopt(new TokenBlock(1_000, 20_000));
        tenure.tokens.raise(5_000);
        assertThat(tenure.tokens.take()).isEqualTo(5_001);
        assertThat(tenure.usedUpTo()).isZero();
    }
}
