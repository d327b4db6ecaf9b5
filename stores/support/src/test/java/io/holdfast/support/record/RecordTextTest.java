package io.holdfast.support.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("everywhere")
class RecordTextTest {

    private static final String NAME = "orders/42";
    private static final long NOW = 1_790_000_000_000_000L;

    private static String encode(LockRecord record) {
        return RecordText.encode(NAME, LockRecord.EMPTY, record);
    }

    private static LockRecord decode(String text) {
        return RecordText.decode(NAME, text);
    }

    private static Holder holder(String client, long number, long expires) {
        return holder(client, "", number, expires);
    }

    private static Holder holder(String client, String session, long number, long expires) {
        return new Holder(
                claimant(client, session, number), Mode.READ, expires, 0, 0, Grant.of(NOW + number, 1), false);
    }

    private static Claimant claimant(String client, String session, long number) {
        return Claimant.of(new TenureId(client, number), Optional.of(session).filter(some -> !some.isEmpty()));
    }

    private static Place place(String client, String session, long number, long arrival, long refreshed) {
        return new Place(claimant(client, session, number), Mode.LOCK, true, arrival, refreshed, 30_000_000, 1, 0);
    }

    private static LockRecord with(Holder... holders) {
        return LockRecord.EMPTY.with(new Holders(List.of(holders)));
    }

    private static void assertRefused(String text, String why) {
        assertThatThrownBy(() -> decode(text))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        refused -> assertThat(refused.effect()).isEqualTo(StoreException.Effect.REFUSED))
                .hasMessageContaining("'" + NAME + "'")
                .hasMessageContaining(why);
    }

    @Test
    void anEmptyRecordIsItsFormat() {
        assertThat(encode(LockRecord.EMPTY)).isEqualTo("1|");
        assertThat(decode("1|")).isEqualTo(LockRecord.EMPTY);
    }

    @Test
    void aHeldLock() {
        LockRecord held = LockRecord.EMPTY
                .with(new Tokens(1_000, 999))
                .with(new Holders(List.of(new Holder(
                        new Claimant(new TenureId("a-b", -3), Optional.of("s1"), true),
                        Mode.LOCK,
                        2_000,
                        0,
                        0,
                        Grant.of(1_000, 1),
                        true))));
        assertThat(encode(held)).isEqualTo("1|c:a-b@s1|t:.rs.1;|h:Luk..-3.1jk.rs.1;");
        assertThat(decode(encode(held))).isEqualTo(held);
    }

    @Test
    void whatDoesNotEndByItself() {
        LockRecord record =
                with(holder("a", 1, LockRecord.NEVER), holder("b", 2, NOW), holder("c", 3, LockRecord.NEVER));
        assertThat(encode(record)).contains("*");
        assertThat(decode(encode(record))).isEqualTo(record);
    }

    @Test
    void theOwnTimeAndGrantsThatAreNumbered() {
        Holder numbered = new Holder(
                Claimant.of(new TenureId("a", 1), Optional.of("s")),
                Mode.PERMITS,
                NOW,
                NOW + 9,
                3,
                new Grant(0, 0, 2),
                false);
        LockRecord record = with(numbered).withLimit(OptionalInt.of(5)).writtenAt(NOW);
        assertThat(decode(encode(record))).isEqualTo(record);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a,b|c:d;e.f@g%h", "löck ☃", "+ *", "-"})
    void clientsOfAnyName(String client) {
        LockRecord record = with(holder(client, 1, NOW), holder("other", Long.MIN_VALUE, Long.MIN_VALUE));
        assertThat(encode(record)).matches("\\p{ASCII}*");
        assertThat(decode(encode(record))).isEqualTo(record);
    }

    @Test
    void sectionsInAnyOrder() {
        long seed = new Random().nextLong();
        for (RandomHistory.Kind kind : RandomHistory.Kind.values()) {
            RandomHistory history = new RandomHistory(seed, kind, Limits.STANDARD);
            for (int i = 0; i < 100; i++) {
                LockRecord record = history.step().record();
                List<String> sections = new ArrayList<>(List.of(encode(record).split("\\|")));
                Collections.shuffle(sections.subList(1, sections.size()), new Random(seed + i));
                String shuffled = String.join("|", sections) + (sections.size() == 1 ? "|" : "");
                assertThat(decode(shuffled)).as("seed %d: %s", seed, shuffled).isEqualTo(record);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1|t:.1.1.1;",
                "1|c:a|h:L.........1;",
                "1|c:a|q:L........1;",
                "1|c:a|d:y....1;",
                "1|l:.1.1.1.1.1;",
                "1|n:.1.1;",
                "1|p:.1.1;",
                "1|l:.1;|o:.1.1;",
                "1|c:a|l:.1;|w:...1;"
            })
    void moreColumnsAreRefused(String text) {
        assertRefused(text, "a row has more than");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1|t:.1;.1;", "1|p:.1;;", "1|a:.1;.1;", "1|n:.1;.1;", "1|l:.1;.1;", "1|t:x.1;", "1|l:.1;|o:x.1;"
            })
    void moreRowsAndWordsAreRefused(String text) {
        assertRefused(text, "has words or rows that this version does not know");
    }

    @Test
    void otherFormatsAreRefused() {
        assertRefused("2|c:a|h:L..1.1.1;", "it is of format '2', and this version reads format 1");
        assertRefused("10|", "it is of format '10'");
        assertRefused("", "it is of format ''");
        assertRefused("{\"held\": true}", "it is of format ''");
    }

    @Test
    void unknownSectionsAreRefused() {
        assertRefused("1|z:1;", "a section 'z:' that this version does not know");
        assertRefused("1|t:.rs.1;|", "a section ''");
        assertRefused("1|t:.1;|t:.2;", "it has two sections 't'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1|h:L..1.1;", "1|c:a|h:X..1.1;", "1|c:a|h:Lx..1.1;", "1|c:a|h:L.1.1.1;", "1|c:a|h:L..1.?;",
                        "1|c:a|h:L..1",
                "1|c:a|h:", "1|c:a|h:.1;", "1|c:a|d:x..1.1;", "1|p:.zzzzzzzzzzz;", "1|c:a|h:L.........1;",
                        "1|c:%|h:L..1.1;"
            })
    void damagedTextsAreRefused(String text) {
        assertRefused(text, "cannot be read");
    }

    @Test
    void cutTextsAreRefusedOrLackSections() {
        LockRecord record =
                with(holder("client", 1, NOW), holder("other", 2, NOW)).with(new Tokens(NOW, NOW - 1));
        String text = encode(record);
        for (int length = 0; length < text.length(); length++) {
            String cut = text.substring(0, length);
            try {
                assertThat(encode(decode(cut))).isNotEqualTo(text);
            } catch (StoreException e) {
                assertThat(e.effect()).as(cut).isEqualTo(StoreException.Effect.REFUSED);
            }
        }
    }

    @Test
    void theLongestText() {
        assertThatThrownBy(() -> encode(many(4_000, "")))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        refused -> assertThat(refused.effect()).isEqualTo(StoreException.Effect.REFUSED))
                .hasMessageMatching(
                        "the name 'orders/42' would take \\d+ bytes at the store, for 4000 holders and 0 waiters:"
                                + " 114688 are allowed");
    }

    @Test
    void whatAddsNothingIsNotRefusedForItsLength() {
        LockRecord before = many(4_000, "");
        List<Holder> holders = new ArrayList<>(before.holders().all());
        holders.remove(0);
        LockRecord released = before.with(new Holders(holders));
        LockRecord waits = released.with(waiting(1, 1, ""));
        assertThat(RecordText.encode(NAME, before, before)).hasSizeGreaterThan(RecordText.MAX_LENGTH);
        assertThat(decode(RecordText.encode(NAME, before, released))).isEqualTo(released);
        assertThat(decode(RecordText.encode(NAME, waits, before)))
                .as("the waiter became a holder")
                .isEqualTo(before);
        assertTooLong(waits, before.with(waits.queue()));
        assertTooLong(before, before.with(waits.queue()));
        assertTooLong(before, before.with(changes("a")));
        assertTooLong(before, before.with(listening("a")));
        assertTooLong(before.with(changes("a")), released.with(changes("a", "b")));
    }

    private static void assertTooLong(LockRecord before, LockRecord after) {
        assertThatThrownBy(() -> RecordText.encode(NAME, before, after))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        refused -> assertThat(refused.effect()).isEqualTo(StoreException.Effect.REFUSED));
    }

    private static Changes changes(String... clients) {
        return new Changes(Stream.of(clients)
                .map(client -> new Changes.Decided(new TenureId(client, 1), true, NOW))
                .toList());
    }

    private static Optional<Latch> listening(String... clients) {
        return Optional.of(Latch.first(1, LockRecord.NEVER, NOW)
                .withListeners(Stream.of(clients)
                        .map(client -> new Latch.Listener(Party.of(client), NOW))
                        .toList()));
    }

    @Test
    void theLimitsFitIntoTheLongestText() {
        LockRecord most = many(Limits.STANDARD.holders(), "1000a2b3c4d5e6f7-f0e1d2c3b4a59687")
                .with(waiting(Limits.STANDARD.places(), 1, "1000a2b3c4d5e6f8-f0e1d2c3b4a59687"));
        int length = encode(most).length();
        System.out.println("bytes of 1000 holders and 256 places of as many clients with sessions: " + length);
        assertThat(length).isLessThan(RecordText.MAX_LENGTH - RecordText.RESERVE);
    }

    private static LockRecord many(int holders, String session) {
        Random random = new Random(1);
        List<Holder> all = new ArrayList<>();
        for (int i = 0; i < holders; i++) {
            all.add(holder(id(random), session, random.nextInt(100_000), NOW + random.nextInt(30_000_000)));
        }
        return LockRecord.EMPTY.with(new Holders(all)).with(new Tokens(NOW, NOW - 1));
    }

    /** As the ids that clients have. */
    private static String id(Random random) {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    private static Places waiting(int clients, int placesEach) {
        return waiting(clients, placesEach, "");
    }

    private static Places waiting(int clients, int placesEach, String session) {
        Random random = new Random(2);
        List<String> ids = random.longs(clients).mapToObj(any -> id(random)).toList();
        long[] numbers = random.longs(clients, 1, 50_000).toArray();
        Places queue = Places.EMPTY;
        long arrival = NOW;
        for (int i = 0; i < clients * placesEach; i++) {
            int client = random.nextInt(clients);
            arrival += random.nextInt(20_000_000);
            queue = queue.afterArrival(arrival)
                    .with(place(
                            ids.get(client),
                            session,
                            numbers[client]++,
                            arrival,
                            NOW + 900_000_000 + random.nextInt(60_000_000)));
        }
        return queue;
    }

    private static int sizeWithoutClients(LockRecord record) {
        return encode(record).replaceFirst("c:[^|]*", "").length();
    }

    @Test
    void aPlaceTakesAtMost25Bytes() {
        int few = encode(LockRecord.EMPTY.with(waiting(16, 16))).length();
        int clients = sizeWithoutClients(LockRecord.EMPTY.with(waiting(256, 1)));
        System.out.println("bytes of a place: " + few / 256.0 + " of 16 clients in all, " + clients / 256.0
                + " of 256 clients without their ids");
        assertThat(clients / 256.0).isLessThanOrEqualTo(25);
        assertThat(sizeWithoutClients(LockRecord.EMPTY.with(waiting(16, 16))) / 256.0)
                .isLessThanOrEqualTo(25);
    }
}
