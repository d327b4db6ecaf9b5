package io.holdfast.support.record;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.stream.LongStream;

/**
 * A writer of rows of numbers as a short text.
 *
 * <p>A row is a word and some numbers, with a period before each number, and ends in a semicolon. The word is left out if it
 * is that of the row before. Each number is written in base 36, as the difference to that of the row before, and left out if
 * there is no difference. Numbers that are left out at the end of a row take no period either. An asterisk stands for {@link
 * LockRecord#NEVER}; later differences do not count from it.
 */
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
