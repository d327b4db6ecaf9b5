package io.holdfast.mongodb;

import static java.util.Objects.requireNonNull;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import com.mongodb.client.result.UpdateResult;
import io.holdfast.FencedOutException;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * A fence for documents of MongoDB: a write with an older fencing token than an earlier write is refused.
 *
 * <p>The document keeps the highest token in a field of its own. The check and the write are one operation of the server, which is
 * atomic for one document, so no transaction is needed.
 *
 * <p>This is the check that M. Kleppmann asks of a resource in "How to do distributed locking", 2016.
 */
public final class MongoFence {

    private static final String FIELD = "holdfastToken";

    private final String field;

    private MongoFence(String field) {
        this.field = field;
    }

    /** Returns a fence that keeps the token in the field {@code holdfastToken}. */
    public static MongoFence create() {
        return new MongoFence(FIELD);
    }

    /**
     * Returns a fence that keeps the token in another field.
     *
     * @param field the name of the field, which the application does not use otherwise
     * @throws IllegalArgumentException if the name is empty, or has a dot or a dollar sign
     */
    public static MongoFence inField(String field) {
        if (field.isEmpty() || field.contains(".") || field.contains("$")) {
            throw new IllegalArgumentException("the field of the token is '" + field + "': a name without . and $");
        }
        return new MongoFence(field);
    }

    /**
     * Updates one document, unless it has seen a higher token.
     *
     * @param collection the collection of the document. Its write concern applies
     * @param filter selects the document
     * @param update the update, which does not change the field of the token
     * @param token the fencing token of the lock that the caller holds
     * @return the result. If no document matches the filter, nothing is updated
     * @throws FencedOutException if the document has seen a higher token. It is unchanged
     * @throws IllegalArgumentException if the token is not positive
     * @throws com.mongodb.MongoException if the server cannot be reached, or fails; as with any update, it may have been applied
     */
    public UpdateResult updateOne(MongoCollection<?> collection, Bson filter, Bson update, long token) {
        if (token <= 0) {
            throw new IllegalArgumentException("token=" + token + " is not positive: no lock has issued it");
        }
        UpdateResult result = collection.updateOne(
                Filters.and(requireNonNull(filter, "filter"), notAbove(token)),
                Updates.combine(requireNonNull(update, "update"), Updates.set(field, token)));
        if (result.getMatchedCount() == 0) {
            Document fenced = collection
                    .withDocumentClass(Document.class)
                    .withReadPreference(ReadPreference.primary())
                    .find(Filters.and(filter, Filters.gt(field, token)))
                    .first();
            if (fenced != null) {
                throw new FencedOutException(
                        collection.getNamespace() + " " + fenced.get("_id"),
                        token,
                        fenced.get(field, Number.class).longValue());
            }
        }
        return result;
    }

    /** Returns the condition that a document has seen no higher token. */
    private Bson notAbove(long token) {
        return Filters.or(Filters.eq(field, null), Filters.lte(field, token));
    }
}
