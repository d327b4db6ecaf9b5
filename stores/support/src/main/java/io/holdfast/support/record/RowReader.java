package io.holdfast.support.record;

import java.util.ArrayList;
import java.util.List;

/** A reader of the rows that a {@link RowWriter} wrote. */
final class RowReader {

    static final int MOST_NUMBERS = 8;

    /**
     * A row.
     *
     * @param word the word
     * @param numbers the numbers; a column without a difference repeats the number of the previous row
     */
    record Row(String word, List<Long> numbers) {

        long number(int index) {
            return numbers.get(index);
        }

        int integer(int index) {
            return Math.toIntExact(number(index));
        }

        boolean has(char letter) {
            return word.indexOf(letter) >= 0;
        }
    }

    private final long[] before = new long[MOST_NUMBERS];
    private String word = "";

    private final int columns;

    private RowReader(int columns) {
        this.columns = columns;
    }

    /**
     * Reads all rows of a text.
     *
     * @throws IllegalArgumentException if the text has another form, or if a row has more columns
     */
    static List<Row> rows(String text, int columns) {
        if (!text.endsWith(";")) {
            throw new IllegalArgumentException("a row does not end");
        }
        RowReader reader = new RowReader(columns);
        List<Row> rows = new ArrayList<>();
        for (String row : text.substring(0, text.length() - 1).split(";", -1)) {
            rows.add(reader.row(row.split("\\.", -1)));
        }
        return rows;
    }

    private Row row(String[] parts) {
        if (parts.length > columns + 1) {
            throw new IllegalArgumentException("a row has more than " + columns + " numbers");
        }
        word = parts[0].isEmpty() ? word : parts[0];
        List<Long> numbers = new ArrayList<>(MOST_NUMBERS);
        for (int i = 0; i < MOST_NUMBERS; i++) {
            numbers.add(number(i + 1 < parts.length ? parts[i + 1] : "", i));
        }
        return new Row(word, numbers);
    }

    private long number(String difference, int column) {
        if (difference.equals("*")) {
            return LockRecord.NEVER;
        }
        if (!difference.isEmpty()) {
            before[column] += Long.parseLong(difference, Character.MAX_RADIX);
        }
        return before[column];
    }
}
