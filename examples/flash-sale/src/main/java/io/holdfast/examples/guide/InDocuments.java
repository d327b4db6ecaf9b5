package io.holdfast.examples.guide;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import com.mongodb.client.result.UpdateResult;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.mongodb.MongoFence;
import org.bson.Document;

/** The code of docs/mongodb.md. */
final class InDocuments {

    private final Holdfast holdfast;
    private final MongoCollection<Document> orders;

    InDocuments(Holdfast holdfast, MongoCollection<Document> orders) {
        this.holdfast = holdfast;
        this.orders = orders;
    }

    UpdateResult guard() throws InterruptedException {
        // region mongodb-guard
        try (Lease lease = holdfast.lock("orders/42").acquire()) {
            return MongoFence.create()
                    .updateOne(orders, Filters.eq("_id", 42), Updates.set("state", "sent"), lease.fencingToken());
        }
        // endregion
    }
}
