package io.holdfast.support.record;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.stream.LongStream;

/** A writer of the rows of one section; see {@link RecordText}. */
final class RowWriter {

    private final StringBuilder text = new StringBuilder();
    private final long[] before = new long[RowReader.MOST_NUMBERS];
    private String word = "";

    /** Adds a row. */
    @CanIgnoreReturnValue
    RowWriter row(String ownWord, long... numbers) {
        StringBuilder row = new StringBuilder(ownWord.equals(word) ? "" : ownWord);
        int written = row.length();
        word = ownWord;
        for (int i = 0; i < numbers.length; i++) {
            row.append('.');
            if (numbers[i] != before[i]) {
                row.append(difference(numbers[i], i));
                written = row.length();
            }
        }
        row.setLength(written);
        text.append(row).append(';');
        return this;
    }

    private String difference(long number, int column) {
        if (number == LockRecord.NEVER) {
            return "*";
        }
        long difference = number - before[column];
        before[column] = number;
        return Long.toString(difference, Character.MAX_RADIX);
    }

    /** Adds a row without a word for each number. */
    RowWriter column(LongStream numbers) {
        numbers.forEach(number -> row("", number));
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
