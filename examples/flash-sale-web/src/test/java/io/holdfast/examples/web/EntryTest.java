package io.holdfast.examples.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EntryTest {

    @Test
    void anEntryIsReadFromItsText() {
        Entry entry = new Entry(Entry.Event.ORDER, 3, 17, 5, Long.MAX_VALUE);

        assertThat(entry.toText()).isEqualTo("ORDER 3 17 5 9223372036854775807");
        assertThat(Entry.of(entry.toText())).isEqualTo(entry);
    }
}
