package io.holdfast.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import io.holdfast.FencedOutException;
import java.util.Objects;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("everywhere")
class MongoFenceTest {

    private static final Bson ORDER = Filters.eq("_id", 42);

    private final MongoClient client = Servers.client();
    private final MongoCollection<Document> orders =
            client.getDatabase("holdfast_test").getCollection("orders");
    private final MongoFence fence = MongoFence.create();

    @BeforeEach
    void insert() {
        var unused = orders.deleteMany(new Document());
        var inserted = orders.insertOne(new Document("_id", 42).append("state", "new"));
        assertThat(inserted.wasAcknowledged()).isTrue();
    }

    @AfterEach
    void close() {
        client.close();
    }

    private Document order() {
        return Objects.requireNonNull(orders.find(ORDER).first());
    }

    @Test
    void writesWithRisingTokensAreApplied() {
        assertThat(fence.updateOne(orders, ORDER, Updates.set("state", "paid"), 7)
                        .getMatchedCount())
                .isEqualTo(1);
        assertThat(fence.updateOne(orders, ORDER, Updates.set("state", "packed"), 7)
                        .getMatchedCount())
                .isEqualTo(1);
        assertThat(fence.updateOne(orders, ORDER, Updates.set("state", "sent"), 8)
                        .getMatchedCount())
                .isEqualTo(1);
        assertThat(order().getString("state")).isEqualTo("sent");
        assertThat(order().getLong("holdfastToken")).isEqualTo(8);
    }

    @Test
    void aWriteWithAnOlderTokenIsRefusedAndChangesNothing() {
        var unused = fence.updateOne(orders, ORDER, Updates.set("state", "sent"), 8);
        assertThatExceptionOfType(FencedOutException.class)
                .isThrownBy(() -> fence.updateOne(orders, ORDER, Updates.set("state", "paid"), 7))
                .satisfies(e -> {
                    assertThat(e.fencingToken()).isEqualTo(7);
                    assertThat(e.highest()).isEqualTo(8);
                    assertThat(e.resource()).isEqualTo("holdfast_test.orders 42");
                });
        assertThat(order().getString("state")).isEqualTo("sent");
        assertThat(order().getLong("holdfastToken")).isEqualTo(8);
    }

    @Test
    void aDocumentThatDoesNotMatchIsNoOlderToken() {
        assertThat(fence.updateOne(orders, Filters.eq("_id", 43), Updates.set("state", "sent"), 8)
                        .getMatchedCount())
                .isZero();
        assertThat(orders.countDocuments()).isEqualTo(1);
    }

    @Test
    void theTokenMayHaveAFieldOfAnotherName() {
        MongoFence other = MongoFence.inField("fence");
        var unused = other.updateOne(orders, ORDER, Updates.set("state", "sent"), 8);
        assertThat(order().getLong("fence")).isEqualTo(8);
        assertThat(order().containsKey("holdfastToken")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a.b", "$a"})
    void anImpossibleFieldIsRefused(String field) {
        assertThatIllegalArgumentException().isThrownBy(() -> MongoFence.inField(field));
    }

    @Test
    void aTokenThatNoLockHasIssuedIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.updateOne(orders, ORDER, Updates.set("state", "sent"), 0));
    }
}
