package io.holdfast.support.record;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.spi.StoreException;
import java.util.Optional;

/**
 * The text of a {@link LockRecord}, as stores keep it, in ASCII.
 *
 * <p>The text of an empty record is {@code 1|}, where 1 is the format. Sections follow in any order. Each has the form
 * {@code KEY:ROWS}. A bar separates sections, and an empty section is left out. The columns are:
 * <pre>
 * c  clients, each with its session behind an @ if it has one, separated by commas
 * n  the record's own time
 * t  last unit, units above the floor
 * h  MODE[u][k]      client, tenure, expires, unit, units, permits, number of the grant, kept until
 * q  MODE[f][k]      client, tenure, arrival, refreshed, lease, tokens, permits
 * a  last arrival
 * p  number of permits
 * l  setting, count, ends, forgotten
 * o  settings that ended before they opened
 * w  client, time of listening
 * d  y|n             client, change, time of the decision
 * </pre>
 * MODE is L, W, R or P. The letters after it are u for unclaimed, k for a tenure that may linger, and f for fair. A client is
 * written as its index in c. Times are microseconds.
 *
 * <p>A row is a word and some numbers, and ends in a semicolon. A period precedes each number. The word is left out if it is
 * the word of the previous row. Each number is the difference to that of the previous row, in base 36. A difference of zero is
 * left out. At the end of a row, the periods of such numbers are left out as well. An asterisk stands for {@link
 * LockRecord#NEVER}. The next difference in that column then counts from the number before the asterisk.
 */
public final class RecordText {

    /** The maximum length of a text. A lock at all limits of {@link Limits#STANDARD} fits, even if its clients have sessions. */
    public static final int MAX_LENGTH = 131_072;

    /** The part of the length that is reserved for renewals and releases, because renewals may lengthen all rows. */
    static final int RESERVE = MAX_LENGTH / 8;

    static final String FORMAT = "1";

    private RecordText() {}

    /**
     * Returns the text of a record. A decision that adds nothing, such as a renewal or a release, is never refused.
     *
     * @param name the name, for the text of a failure
     * @param before the record before the decision
     * @throws StoreException of effect {@link StoreException.Effect#REFUSED} if the text is too long, and the record has more
     *     holders, waiters, changes or listeners than before
     */
    public static String encode(String name, LockRecord before, LockRecord record) {
        String text = new RecordWriter().write(record);
        if (text.length() > MAX_LENGTH - RESERVE && record.hasMoreThan(before)) {
            throw Draft.refused(
                    "the name " + quoted(name) + " would take " + text.length() + " bytes at the store, for "
                            + record.holders().all().size() + " holders and "
                            + record.queue().size() + " waiters: "
                            + (MAX_LENGTH - RESERVE) + " are allowed");
        }
        return text;
    }

    /**
     * Reads the text of a record.
     *
     * @param name the name, for the text of a failure
     * @throws StoreException of effect {@link StoreException.Effect#REFUSED} if the text is of another format, has a section
     *     that this version does not know, or is damaged
     */
    public static LockRecord decode(String name, String text) {
        try {
            return new RecordReader(text).read();
        } catch (IllegalArgumentException | ArithmeticException | IndexOutOfBoundsException e) {
            throw UnreadableRecordException.refusal(
                    "the record of " + quoted(name) + " at the store cannot be read: "
                            + Optional.ofNullable(e.getMessage()).orElse("it is damaged")
                            + ". Another program, or a later version of this library, has written it",
                    e);
        }
    }
}
