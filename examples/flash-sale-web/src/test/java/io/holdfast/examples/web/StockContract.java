package io.holdfast.examples.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencedOutException;
import io.holdfast.examples.flashsale.ShareStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The rules of a stock, and of the accounts that are read from it. */
abstract class StockContract {

    private static final long OLD = 7;
    private static final long NEW = 8;
    private static final int OTHER = 2;

    abstract Stock stock();

    abstract Books books();

    private static Entry order(int instance, long token) {
        return new Entry(Entry.Event.ORDER, instance, 1, 0, token);
    }

    @Test
    void theStockIsSpreadOverTheShelves() {
        books().open(Way.SEGMENTED, 17);

        assertThat(stock().read(Way.SEGMENTED, 0)).isEqualTo(3);
        assertThat(stock().read(Way.SEGMENTED, 7)).isEqualTo(2);
        assertThat(books().left(Way.SEGMENTED)).isEqualTo(17);
    }

    @Test
    void anUnguardedWriteReplacesWhatAnotherOneWrote() {
        books().open(Way.NONE, 10);
        stock().write(Way.NONE, 4, order(1, 0));
        stock().write(Way.NONE, 9, order(OTHER, 0));

        assertThat(books().left(Way.NONE)).isEqualTo(9);
        assertThat(books().orders(Way.NONE))
                .extracting(Books.Timed::entry)
                .containsExactly(order(1, 0), order(OTHER, 0));
    }

    @Test
    void aStaleWriteIsRefused() {
        books().open(Way.LOCK, 10);
        stock().writeFenced(Way.LOCK, 9, order(1, NEW));

        assertThatThrownBy(() -> stock().writeFenced(Way.LOCK, 9, order(OTHER, OLD)))
                .isInstanceOf(FencedOutException.class);
        assertThat(books().orders(Way.LOCK)).hasSize(1);
        assertThat(books().left(Way.LOCK)).isEqualTo(9);
    }

    @Test
    void aFormerHolderCannotWriteBetweenReadAndWriteOfTheNextOne() {
        books().open(Way.LOCK, 10);
        assertThat(stock().readFenced(Way.LOCK, 0, OLD)).isEqualTo(10);
        assertThat(stock().readFenced(Way.LOCK, 0, NEW)).isEqualTo(10);

        assertThatThrownBy(() -> stock().writeFenced(Way.LOCK, 9, order(1, OLD)))
                .isInstanceOf(FencedOutException.class);
        stock().writeFenced(Way.LOCK, 9, order(OTHER, NEW));

        assertThat(books().orders(Way.LOCK)).extracting(Books.Timed::entry).containsExactly(order(OTHER, NEW));
    }

    @Test
    void aLockKeyIsTakenOnceUntilItExpires() throws InterruptedException {
        assertThat(stock().takeKey(Way.SETNX, Duration.ofSeconds(60))).isTrue();
        assertThat(stock().takeKey(Way.SETNX, Duration.ofSeconds(60))).isFalse();
        stock().freeKey(Way.SETNX);
        assertThat(stock().takeKey(Way.SETNX, Duration.ofMillis(100))).isTrue();
        Thread.sleep(250);
        assertThat(stock().takeKey(Way.SETNX, Duration.ofSeconds(60))).isTrue();
        assertThat(stock().takeKey(Way.SETNX, Duration.ofSeconds(60))).isFalse();
        stock().freeKey(Way.SETNX);
    }

    @Test
    void anItemIsInTheStockOrInAShareOrInAnOrder() {
        books().open(Way.ALLOTMENT, 80);
        ShareStore shares = stock().shares(Way.ALLOTMENT);
        assertThat(shares.take(1, OLD, 4)).isEqualTo(ShareStore.REFUSED);
        shares.putBack(1, OLD);
        assertThat(shares.take(1, OLD, 4)).isEqualTo(10);
        assertThat(shares.sell(1, OLD, order(1, OLD).toText())).isEqualTo(1);

        assertThat(books().left(Way.ALLOTMENT)).isEqualTo(79);
        assertThat(books().orders(Way.ALLOTMENT)).hasSize(1);
        assertThat(shares.unsold()).containsExactly(1);
    }

    @Test
    void aShareWithANewTokenRefusesTheOldOne() {
        books().open(Way.ALLOTMENT, 8);
        ShareStore shares = stock().shares(Way.ALLOTMENT);
        shares.putBack(1, OLD);
        assertThat(shares.take(1, OLD, 8)).isEqualTo(8);
        assertThat(shares.stockIsEmpty()).isTrue();
        assertThat(shares.putBack(1, NEW)).isEqualTo(8);

        assertThat(shares.sell(1, OLD, order(1, OLD).toText())).isEqualTo(ShareStore.REFUSED);
        assertThat(shares.take(1, OLD, 8)).isEqualTo(ShareStore.REFUSED);
        assertThat(shares.putBack(1, OLD)).isZero();
        assertThat(shares.take(1, NEW, 8)).isEqualTo(8);
        assertThat(books().left(Way.ALLOTMENT)).isEqualTo(8);
        assertThat(books().orders(Way.ALLOTMENT)).isEmpty();
    }

    @Test
    void otherEntriesAreNotOrders() {
        books().open(Way.LOCK, 1);
        Entry read = new Entry(Entry.Event.READ, 1, 1, 0, NEW);
        stock().note(Way.LOCK, read);

        assertThat(books().orders(Way.LOCK)).isEmpty();
        assertThat(books().others(Way.LOCK)).extracting(Books.Timed::entry).containsExactly(read);
    }
}
