package io.holdfast.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.embedded.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SharesTest {

    private static final int OWNER = 0;
    private static final long OLD = 9;
    private static final long NEW = 10;

    private RedisServer server;
    private Scene scene;
    private Shares shares;

    @BeforeEach
    void open() {
        server = RedisServer.start();
        scene = new Scene(server, StrategyKind.ALLOTMENT, 80);
        shares = new Shares(scene.redis, scene.keys);
        shares.putBack(OWNER, OLD);
    }

    @AfterEach
    void close() throws Exception {
        scene.close();
        server.close();
    }

    @Test
    void anEighthMovesFromTheStockToTheShare() {
        assertThat(shares.take(OWNER, OLD, 2)).isEqualTo(10);
        assertThat(scene.redis.get(scene.keys.stock())).isEqualTo("70");
        assertThat(shares.unsold()).containsExactly(OWNER);
        assertThat(scene.books.left()).isEqualTo(80);
    }

    @Test
    void atLeastTheGivenNumberMovesAsFarAsThereIsSoMuch() {
        assertThat(shares.take(OWNER, OLD, 50)).isEqualTo(50);
        assertThat(shares.take(OWNER, OLD, 50)).isEqualTo(30);
        assertThat(shares.take(OWNER, OLD, 50)).isZero();
        assertThat(shares.stockIsEmpty()).isTrue();
    }

    @Test
    void aSaleMovesAnItemFromTheShareToTheOrders() {
        shares.take(OWNER, OLD, 1);
        assertThat(shares.sell(OWNER, OLD, order())).isEqualTo(1);
        assertThat(scene.books.orders()).isEqualTo(1);
        assertThat(scene.books.left()).isEqualTo(79);
    }

    @Test
    void theTokenOfAnOldShareIsRefused() {
        shares.take(OWNER, OLD, 1);
        assertThat(shares.putBack(OWNER, NEW)).isEqualTo(10);
        assertThat(shares.sell(OWNER, OLD, order())).isEqualTo(Shelf.REFUSED);
        assertThat(shares.take(OWNER, OLD, 1)).isEqualTo(Shelf.REFUSED);
        assertThat(scene.books.orders()).isZero();
        assertThat(scene.books.left()).isEqualTo(80);
    }

    @Test
    void whoComesLateToPutAShareBackDoesNothing() {
        shares.putBack(OWNER, NEW);
        shares.take(OWNER, NEW, 1);
        assertThat(shares.putBack(OWNER, OLD)).isZero();
        assertThat(shares.sell(OWNER, NEW, order())).isEqualTo(1);
    }

    @Test
    void aShareIsPutBackOnce() {
        shares.take(OWNER, OLD, 1);
        assertThat(shares.putBack(OWNER, NEW)).isEqualTo(10);
        assertThat(shares.putBack(OWNER, NEW)).isZero();
        assertThat(scene.redis.get(scene.keys.stock())).isEqualTo("80");
    }

    private static String order() {
        return new Entry(Entry.ORDER, new Seller(OWNER, 0), 1).toText();
    }
}
