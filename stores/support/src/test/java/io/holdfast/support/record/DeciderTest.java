package io.holdfast.support.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Change;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the contract suite cannot see of the decisions: the limits, what is written, and sessions. */
class DeciderTest {

    private static final String NAME = "n";
    private static final long NOW = 1_790_000_000_000_000L;
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final Decider decider = new Decider(Limits.STANDARD);
    private long now = NOW;
    private LockRecord record = LockRecord.EMPTY;
    private List<Notice> notices = List.of();

    private <R> R after(Decision<R> decision) {
        record = decision.record();
        notices = decision.notices();
        return decision.reply();
    }

    private Moment moment() {
        return Moment.of(now, 1);
    }

    private Acquire.Reply acquire(Acquire request) {
        return after(decider.acquire(record, request, moment()));
    }

    private static Acquire request(String client, long number, Queueing queueing) {
        return Acquire.of(NAME, new TenureId(client, number), LEASE).queued(queueing, 0);
    }

    private Acquire.Refused refused(Acquire request) {
        return (Acquire.Refused) acquire(request);
    }

    private void held() {
        assertThat(acquire(request("holder", 1, Queueing.NONE))).isInstanceOf(Acquire.Granted.class);
    }

    // ---- limits

    @Test
    void theQueueTakes256PlacesAndRefusesTheNextWithoutOne() {
        held();
        for (int i = 1; i <= 256; i++) {
            assertThat(refused(request("c" + i, 1, Queueing.FAIR)).arrival()).isPositive();
        }
        LockRecord full = record;
        assertThat(refused(request("late", 1, Queueing.FAIR)).arrival()).isZero();
        assertThat(record).isEqualTo(full);
        assertThat(notices).isEmpty();
        assertThat(refused(request("c7", 1, Queueing.FAIR)).arrival()).isPositive();
    }

    @Test
    void aClientHas16FairPlaces() {
        held();
        List<Acquire.Place> behind = new ArrayList<>();
        for (int i = 2; i <= 18; i++) {
            behind.add(new Acquire.Place(new TenureId("a", i), 0, LEASE));
        }
        List<Long> arrivals =
                refused(request("a", 1, Queueing.FAIR).withBehind(behind)).behind();
        assertThat(arrivals.subList(0, 15)).isSorted().doesNotContain(0L);
        assertThat(arrivals.subList(15, 17)).containsOnly(0L);
        assertThat(refused(request("a", 99, Queueing.BARGING)).arrival()).isPositive();
        assertThat(refused(request("b", 1, Queueing.FAIR)).arrival()).isPositive();
    }

    @Test
    void aPlaceArrivesWhenItsWaiterDidButBehindTheOthersOfItsClient() {
        held();
        long newcomer = refused(request("b", 1, Queueing.FAIR)).arrival();
        Acquire patient = request("a", 1, Queueing.FAIR).withWaited(Duration.ofSeconds(10));
        long early = refused(patient).arrival();
        assertThat(early).isEqualTo(NOW - 10_000_000).isLessThan(newcomer);
        assertThat(refused(patient).arrival()).as("asked again").isEqualTo(early);
        TenureId next = new TenureId("a", 2);
        TenureId other = new TenureId("a", 3);
        List<Long> behind = refused(patient.withBehind(List.of(
                        new Acquire.Place(next, 0, LEASE, Duration.ofSeconds(60)),
                        new Acquire.Place(other, 0, LEASE, Duration.ofSeconds(5)))))
                .behind();
        assertThat(behind).containsExactly(early + 1, NOW - 5_000_000);
        assertThat(refused(request("c", 1, Queueing.FAIR).withWaited(Duration.ofSeconds(10)))
                        .arrival())
                .as("no two have the same")
                .isEqualTo(early + 2);
        assertThat(refused(request("d", 1, Queueing.FAIR)).arrival()).isGreaterThan(newcomer);
    }

    @Test
    void aNameHas1000Holders() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(acquire(request("c" + i, 1, Queueing.NONE).withShare(Share.READ)))
                    .isInstanceOf(Acquire.Granted.class);
        }
        LockRecord full = record;
        assertThatThrownBy(() -> acquire(request("late", 1, Queueing.NONE).withShare(Share.READ)))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        refused -> assertThat(refused.effect()).isEqualTo(StoreException.Effect.REFUSED))
                .hasMessageContaining("1000 holders");
        assertThat(record).isSameAs(full);
        assertThat(acquire(request("c7", 1, Queueing.NONE).withShare(Share.READ)))
                .isInstanceOf(Acquire.Granted.class);
    }

    @Test
    void permitsAreNotAssignedBeyondTheLimitOfHolders() {
        Decider two = new Decider(new Limits(1_000_000, 9, 9, 9, 2, 1));
        record = LockRecord.EMPTY.withLimit(OptionalInt.of(1));
        for (int i = 1; i <= 4; i++) {
            after(two.acquire(record, request("c" + i, 1, Queueing.BARGING).withShare(Share.permits(1)), moment()));
        }
        after(two.change(record, change(Change.Kind.SET_PERMITS, 1, 9), moment()));
        assertThat(record.holders().all()).hasSize(2);
        assertThat(notices).hasSize(1);
    }

    /** A holder that lingers is not notified by a place, if there is none. */
    @Test
    void aRefusalForWantOfAPlaceIsToldToAHolderThatMayLinger() {
        Decider none = new Decider(new Limits(1_000_000, 0, 0, 0, 1, 1));
        TenureId lingering = new TenureId("holder", 1).lingering();
        after(none.acquire(record, Acquire.of(NAME, lingering, LEASE), moment()));
        after(none.acquire(record, request("a", 1, Queueing.BARGING), moment()));
        assertThat(notices).containsExactly(new Notice(Party.of("holder"), new Signal.Wanted(NAME)));
    }

    // ---- the queue

    @Test
    void aBargingRequestBeyondTheLimitGetsNoPositionAndAFairOneDoes() {
        Decider two = new Decider(new Limits(1_000_000, 9, 2, 9, 9, 1));
        held();
        for (int i = 1; i <= 3; i++) {
            after(two.acquire(record, request("c" + i, 1, Queueing.BARGING), moment()));
        }
        after(two.acquire(record, request("fair", 1, Queueing.FAIR), moment()));
        assertThat(record.queue().all())
                .extracting(place -> place.tenure().clientId())
                .containsExactly("c1", "c2", "fair");
    }

    @Test
    void aClientThatWasWokenAndDoesNotComeIsNotWokenAgain() {
        held();
        refused(request("a", 1, Queueing.BARGING));
        refused(request("b", 1, Queueing.BARGING));
        Release release = Release.of(NAME, new TenureId("holder", 1));
        after(decider.release(record, release, moment()));
        assertThat(notices).containsExactly(new Notice(Party.of("a"), new Signal.Freed(NAME)));
        held();
        after(decider.release(record, release, moment()));
        assertThat(notices).containsExactly(new Notice(Party.of("b"), new Signal.Freed(NAME)));
    }

    // ---- permits

    private void waitsForPermits(String client, int permits) {
        Share share = permits == 0 ? Share.freePermits() : Share.permits(permits);
        refused(request(client, 1, Queueing.BARGING).withShare(share));
    }

    @Test
    void aWaiterForAllFreePermitsIsAssignedThoseThatAreFree() {
        record = LockRecord.EMPTY.withLimit(OptionalInt.of(3));
        acquire(request("holder", 1, Queueing.NONE).withShare(Share.permits(3)));
        waitsForPermits("a", 0);
        waitsForPermits("b", 1);
        assertThat(notices).isEmpty();
        assertThat(record.holders().all()).hasSize(1);
        TenureId all = new TenureId("holder", 1);
        after(decider.release(record, Release.of(NAME, all).withMode(Mode.PERMITS), moment()));
        assertThat(record.holders().all())
                .singleElement()
                .satisfies(holder -> assertThat(holder.permits()).isEqualTo(3));
        assertThat(record.queue().all())
                .singleElement()
                .matches(place -> place.claimant().isOf("b"));
    }

    @Test
    void manyWaitersAreAssignedPermitsByOneDecision() {
        Decider many = new Decider(Limits.NONE);
        List<Place> places = new ArrayList<>();
        for (int i = 1; i <= 10_000; i++) {
            Claimant claimant = Claimant.of(new TenureId("c" + i, i), Optional.empty());
            places.add(new Place(claimant, Mode.PERMITS, false, NOW + i, NOW, 30_000_000, 1, 1 + i % 2));
        }
        record = LockRecord.EMPTY.with(new Places(places, NOW + 10_000)).withLimit(OptionalInt.of(1));
        now = NOW + 20_000;
        long began = System.nanoTime();
        after(many.change(record, change(Change.Kind.SET_PERMITS, 1, 14_000), moment()));
        System.out.printf("permits for 9 333 of 10 000 waiters: %d ms%n", (System.nanoTime() - began) / 1_000_000);
        assertThat(notices).hasSize(9_333);
        assertThat(record.holders().permits()).isEqualTo(14_000);
        assertThat(record.holders().all().stream().map(Holder::tenure))
                .isEqualTo(places.stream().limit(9_333).map(Place::tenure).toList());
        assertThat(record.queue().all()).isEqualTo(places.subList(9_333, 10_000));
    }

    // ---- numbers that no client sends

    @ParameterizedTest
    @EnumSource
    void aChangeNeedsAPositiveAmountUnlessItAddsOrDeletes(Change.Kind kind) {
        boolean any = List.of(Change.Kind.ADD_PERMITS, Change.Kind.DELETE_PERMITS, Change.Kind.DELETE_COUNT)
                .contains(kind);
        assertThat(change(kind, 1, 1).amount()).isEqualTo(1);
        for (int amount : new int[] {0, -1, Integer.MIN_VALUE}) {
            if (any) {
                assertThat(change(kind, 1, amount).amount()).isEqualTo(amount);
            } else {
                assertThatThrownBy(() -> change(kind, 1, amount))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("'n': " + kind + " needs a positive amount, not " + amount);
            }
        }
    }

    @Test
    void aShareHasNoNegativePermits() {
        assertThat(Share.permits(0)).isEqualTo(Share.freePermits());
        assertThatThrownBy(() -> Share.permits(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
    }

    @Test
    void onlyAReaderIsBesideAnotherTenure() {
        TenureId writer = new TenureId("a", 1);
        assertThat(Share.READ.beside(writer).beside()).contains(writer);
        for (Share share : List.of(Share.LOCK, Share.WRITE, Share.permits(1))) {
            assertThatThrownBy(() -> share.beside(writer))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(share.mode() + " cannot be beside tenure a:1: only READ can");
        }
    }

    // ---- tokens

    @Test
    void aWriterDoesNotTakeBackTokensThatItsReaderDrewAbove() {
        TenureId reader = new TenureId("a", 1);
        TenureId writer = new TenureId("a", 2);
        var wrote = (Acquire.Granted)
                acquire(Acquire.of(NAME, writer, LEASE).withShare(Share.WRITE).withTokens(5_000));
        acquire(Acquire.of(NAME, reader, LEASE).withShare(Share.READ.beside(writer)));
        var drew = (Renew.Renewed) after(decider.renew(record, new Renew(NAME, reader, Mode.READ, LEASE, 1), moment()));
        after(decider.release(
                record,
                Release.of(NAME, writer)
                        .withMode(Mode.WRITE)
                        .withLastToken(wrote.tokens().first()),
                moment()));
        var next = (Renew.Renewed) after(decider.renew(record, new Renew(NAME, reader, Mode.READ, LEASE, 1), moment()));
        assertThat(next.tokens().orElseThrow().first())
                .isGreaterThan(drew.tokens().orElseThrow().last());
    }

    /** What a tenure used before its lease ended says nothing about the tokens of the tenures that followed. */
    @Test
    void aTenureThatIsGrantedAgainTakesBackNoTokenOfTheTenureBetween() {
        Acquire first = request("a", 1, Queueing.NONE).withTokens(5_000);
        long used = ((Acquire.Granted) acquire(first)).tokens().first();
        now += LEASE.toSeconds() * 1_000_000;
        TenureId between = new TenureId("b", 1);
        long highest = ((Acquire.Granted) acquire(Acquire.of(NAME, between, LEASE)))
                .tokens()
                .first();
        after(decider.release(record, Release.of(NAME, between).withLastToken(highest), moment()));
        acquire(first);
        after(decider.release(record, Release.of(NAME, first.tenure()).withLastToken(used), moment()));
        var next = (Acquire.Granted) acquire(request("c", 1, Queueing.NONE));
        assertThat(next.tokens().first()).isGreaterThan(highest);
    }

    @Test
    void aFloorThatNoTokenCanExceedIsRefused() {
        held();
        LockRecord before = record;
        Renew renew = new Renew(NAME, new TenureId("holder", 1), LEASE, 1);
        for (long floor : List.of(Long.MAX_VALUE, 1L << 62)) {
            assertThatThrownBy(() -> after(decider.renew(record, renew.withFloor(floor), moment())))
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            refused -> assertThat(refused.effect()).isEqualTo(StoreException.Effect.REFUSED))
                    .hasMessageContaining("cannot issue tokens above " + floor);
        }
        assertThat(record).isSameAs(before);
        long highest = (1L << 62) - 1;
        var renewed = (Renew.Renewed) after(decider.renew(record, renew.withFloor(highest), moment()));
        assertThat(renewed.tokens().orElseThrow().first()).isGreaterThan(highest);
    }

    // ---- what is written

    @Test
    void aPollWritesNothingForAQuarterOfTheLifeOfItsPlace() {
        held();
        refused(request("a", 1, Queueing.BARGING));
        LockRecord before = record;
        now = NOW + 15_000_000;
        refused(request("a", 1, Queueing.BARGING));
        assertThat(record).isEqualTo(before);
        now++;
        refused(request("a", 1, Queueing.BARGING));
        assertThat(record).isNotEqualTo(before);
        assertThat(record.queue().all()).allMatch(place -> place.refreshed() == now);
    }

    @Test
    void aPlaceLivesForAMinuteAfterAPollThatWasNotNoted() {
        held();
        refused(request("a", 1, Queueing.BARGING));
        now += 14_900_000;
        refused(request("a", 1, Queueing.BARGING));
        now += 60_000_000;
        assertThat(record.expire(now).queue().all()).hasSize(1);
        now += 100_001;
        assertThat(record.expire(now).queue().all()).isEmpty();
    }

    @Test
    void aPollChangesNeitherTheOrderNorOtherPlaces() {
        held();
        for (String client : List.of("a", "b", "c")) {
            refused(request(client, 1, Queueing.BARGING));
        }
        List<Place> before = record.queue().all();
        now += 16_000_000;
        refused(request("b", 1, Queueing.BARGING));
        List<Place> after = record.queue().all();
        assertThat(after.get(0)).isSameAs(before.get(0));
        assertThat(after.get(1).arrival()).isEqualTo(before.get(1).arrival());
        assertThat(after.get(1).refreshed()).isEqualTo(now);
        assertThat(after.get(2)).isSameAs(before.get(2));
    }

    @Test
    void aPollThatIsNotNotedCopiesNothing() {
        held();
        refused(request("a", 1, Queueing.FAIR));
        Places before = record.queue();
        Draft draft = new Draft(record, NAME, moment(), Limits.NONE);
        assertThat(draft.enqueue(request("a", 1, Queueing.FAIR))).isFalse();
        assertThat(draft.queue()).isSameAs(before);
    }

    @Test
    void aPollThatWantsSomethingElseIsWritten() {
        held();
        refused(request("a", 1, Queueing.BARGING));
        refused(request("a", 1, Queueing.BARGING).withLease(Duration.ofSeconds(7)));
        assertThat(record.queue().all()).singleElement().matches(place -> place.lease() == 7_000_000);
        refused(request("a", 1, Queueing.FAIR));
        assertThat(record.queue().all()).singleElement().matches(Place::fair);
    }

    @Test
    void aRefusalSaysToTheMicrosecondWhenTheLeaseEnds() {
        held();
        now += 1_234_567;
        assertThat(refused(request("a", 1, Queueing.NONE)).retryAfter()).isEqualTo(LEASE.minusNanos(1_234_567_000));
    }

    @Test
    void aRequestThatGetsNothingWritesNothing() {
        held();
        LockRecord before = record;
        refused(request("a", 1, Queueing.NONE));
        assertThat(record).isEqualTo(before);
        assertThat(notices).isEmpty();
    }

    /** Otherwise an acquire that was decided on the same record could still be written. */
    @Test
    void aReleaseOfNothingIsWritten() {
        for (int i = 0; i < 3; i++) {
            String before = RecordText.encode(NAME, record, record);
            var released = after(decider.release(record, Release.of(NAME, new TenureId("a", 1)), moment()));
            assertThat(released.held()).isFalse();
            assertThat(RecordText.encode(NAME, record, record)).isNotEqualTo(before);
            assertThat(record.isInUse()).isFalse();
        }
    }

    @Test
    void aNameIsForgottenDaysAfterItsLastToken() {
        held();
        assertThat(record.isForgotten(NOW + Duration.ofDays(1).toSeconds() * 1_000_000))
                .isFalse();
        assertThat(record.isForgotten(NOW + Duration.ofDays(7).toSeconds() * 1_000_000))
                .isFalse();
        assertThat(record.isForgotten(NOW + Duration.ofDays(7).toSeconds() * 1_000_000 + 10_000))
                .isTrue();
        assertThat(record.withLimit(OptionalInt.of(1))
                        .isForgotten(NOW + Duration.ofDays(99).toSeconds() * 1_000_000))
                .isFalse();
    }

    // ---- changes

    private static Change change(Change.Kind kind, long number, int amount) {
        return change("a", kind, number, amount);
    }

    private static Change change(String client, Change.Kind kind, long number, int amount) {
        return new Change(kind, NAME, new TenureId(client, number), amount, Optional.empty(), Long.MAX_VALUE);
    }

    private boolean applied(Change change) {
        return ((Change.Done) after(decider.change(record, change, moment()))).applied();
    }

    private void assertFails(Change change, StoreException.Effect effect, String why) {
        LockRecord before = record;
        assertThatThrownBy(() -> applied(change))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        failed -> assertThat(failed.effect()).isEqualTo(effect))
                .hasMessageContaining(why);
        assertThat(record).isSameAs(before);
    }

    @Test
    void oneChangeOfAClientIsRememberedAndAnOlderOneFails() {
        Change set = change(Change.Kind.TRY_COUNT, 1, 9);
        Change down = change(Change.Kind.COUNT_DOWN, 2, 1);
        Change again = change(Change.Kind.COUNT_DOWN, 3, 1);
        assertThat(List.of(applied(set), applied(down), applied(again))).containsOnly(true);
        assertThat(record.changes().all()).hasSize(1);
        LockRecord before = record;
        assertThat(applied(again)).isTrue();
        assertThat(record).isEqualTo(before);
        assertFails(down, StoreException.Effect.UNKNOWN, "cannot tell whether");
        assertFails(set, StoreException.Effect.UNKNOWN, "cannot tell whether");
        assertThat(record.latch())
                .hasValueSatisfying(latch -> assertThat(latch.count()).isEqualTo(7));
    }

    @Test
    void aStoreWithoutLimitsRemembersEachChange() {
        Decider all = new Decider(Limits.NONE);
        for (long number : List.of(3L, 2L, 1L, 2L, 3L)) {
            assertThat(after(all.change(record, change(Change.Kind.RESET_COUNT, number, 1), moment())))
                    .isEqualTo(new Change.Done(true, now));
        }
        assertThat(record.changes().all()).hasSize(3);
    }

    @Test
    void theChangesOf1000ClientsAreRemembered() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(applied(change("c" + i, Change.Kind.RESET_COUNT, 1, 1))).isTrue();
        }
        assertFails(
                change("late", Change.Kind.RESET_COUNT, 1, 1),
                StoreException.Effect.NOT_APPLIED,
                "changed by 1000 clients within a minute");
        assertThat(applied(change("c7", Change.Kind.RESET_COUNT, 2, 1))).isTrue();
        now += 60_000_001;
        assertThat(applied(change("late", Change.Kind.RESET_COUNT, 1, 1))).isTrue();
    }

    @Test
    void aLatchHas256Listeners() {
        assertThat(applied(change(Change.Kind.TRY_COUNT, 1, 1))).isTrue();
        for (int i = 0; i < 257; i++) {
            after(decider.latch(record, NAME, "c" + i, true, moment()));
        }
        after(decider.latch(record, NAME, "c7", true, moment()));
        assertThat(record.latch().orElseThrow().listeners())
                .hasSize(256)
                .noneMatch(listener -> listener.isOf("c256"))
                .anyMatch(listener -> listener.isOf("c7"));
    }

    @Test
    void aChangeIsRememberedForAMinute() {
        assertThat(applied(change(Change.Kind.TRY_PERMITS, 1, 2))).isTrue();
        now += 60_000_000;
        assertThat(applied(change(Change.Kind.TRY_PERMITS, 1, 2))).isTrue();
        now++;
        assertThat(applied(change(Change.Kind.TRY_PERMITS, 1, 2))).isFalse();
    }

    @Test
    void aChangeOutlivesAnEarlierOneInTheMemoryOfTheStore() {
        assertThat(applied(change("a", Change.Kind.TRY_COUNT, 1, 9))).isTrue();
        now++;
        Change down = change("b", Change.Kind.COUNT_DOWN, 1, 1);
        assertThat(applied(down)).isTrue();
        now += 60_000_000;
        assertThat(applied(down)).isTrue();
        assertThat(record.changes().all()).hasSize(1);
        assertThat(record.latch())
                .hasValueSatisfying(latch -> assertThat(latch.count()).isEqualTo(8));
    }

    // ---- latches

    private void listens(String client, Moment moment) {
        after(decider.latch(record, NAME, client, true, moment));
    }

    private void opens() {
        assertThat(applied(change(Change.Kind.COUNT_DOWN, 99, 9))).isTrue();
    }

    @Test
    void aClientListensForAMinute() {
        assertThat(applied(change(Change.Kind.TRY_COUNT, 1, 1))).isTrue();
        listens("b", moment());
        now++;
        listens("c", moment());
        now += 60_000_000;
        opens();
        assertThat(notices).containsExactly(new Notice(Party.of("c"), new Signal.Changed(NAME)));
    }

    @Test
    void aClientThatClosesListensNoLongerAndTheLatchStays() {
        assertThat(applied(change(Change.Kind.TRY_COUNT, 1, 1))).isTrue();
        listens("b", moment());
        listens("c", moment());
        record = record.withoutWaitsOf("b");
        opens();
        assertThat(notices).containsExactly(new Notice(Party.of("c"), new Signal.Changed(NAME)));
    }

    @Test
    void aLatchIsForgottenAMinuteAfterItsEnd() {
        assertThat(applied(change(Change.Kind.TRY_COUNT, 1, 1))).isTrue();
        assertThat(applied(change(Change.Kind.DELETE_COUNT, 2, 0))).isTrue();
        assertThat(record.expire(now + 60_000_000).latch()).isPresent();
        assertThat(record.expire(now + 60_000_001).latch()).isEmpty();
    }

    // ---- sessions

    @Test
    void whatAnEndedSessionHadIsForTheNext() {
        after(decider.acquire(record, request("a", 1, Queueing.NONE), new Moment(now, 1, Optional.of("gone"))));
        after(decider.acquire(record, request("a", 2, Queueing.FAIR), new Moment(now, 1, Optional.of("gone"))));
        after(decider.acquire(record, request("b", 1, Queueing.FAIR), new Moment(now, 1, Optional.of("here"))));
        record = record.endSessions("gone"::equals, now);
        assertThat(record.holders().isEmpty()).isTrue();
        assertThat(acquire(request("c", 1, Queueing.NONE))).isInstanceOf(Acquire.Refused.class);
        assertThat(notices).singleElement().satisfies(notice -> {
            assertThat(notice.to()).isEqualTo(new Party("b", Optional.of("here")));
            assertThat(notice.signal()).isInstanceOf(Signal.Assigned.class);
        });
        assertThat(record.holders().all())
                .singleElement()
                .satisfies(holder -> assertThat(holder.claimant().session()).hasValue("here"));
    }

    @Test
    void keepsAHoldOfAnEndedSessionForItsMinimumTime() {
        Acquire request = request("a", 1, Queueing.NONE).withMinHold(Duration.ofSeconds(60));
        after(decider.acquire(record, request, new Moment(now, 1, Optional.of("gone"))));
        record = record.endSessions("gone"::equals, now + 59_999_999);
        assertThat(acquire(request("b", 1, Queueing.NONE))).isInstanceOf(Acquire.Refused.class);
        assertThat(after(decider.renew(record, new Renew(request.name(), request.tenure(), LEASE, 0), in("next"))))
                .isInstanceOf(Renew.Lost.class);
        record = record.endSessions("gone"::equals, now + 60_000_000);
        assertThat(acquire(request("b", 1, Queueing.NONE))).isInstanceOf(Acquire.Granted.class);
    }

    @Test
    void keepsAHoldWhileItsSessionLives() {
        Acquire request = request("a", 1, Queueing.NONE).withMinHold(Duration.ofSeconds(60));
        after(decider.acquire(record, request, new Moment(now, 1, Optional.of("here"))));
        assertThat(record.endSessions("gone"::equals, Long.MAX_VALUE)).isEqualTo(record);
    }

    @Test
    void doesNotProlongTheMinimumTimeByARenewal() {
        Acquire request = request("a", 1, Queueing.NONE).withMinHold(Duration.ofSeconds(60));
        after(decider.acquire(record, request, new Moment(now, 1, Optional.of("gone"))));
        Renew renewal = new Renew(request.name(), request.tenure(), Duration.ofSeconds(60), 0);
        now += 30_000_000;
        after(decider.renew(record, renewal.withMinHold(Duration.ofSeconds(60)), in("gone")));
        record = record.endSessions("gone"::equals, now + 30_000_000);
        assertThat(record.holders().isEmpty()).isTrue();
    }

    @Test
    void keepsALockForItsSessionThatAsksAgainAfterARun() {
        Acquire request = request("a", 1, Queueing.NONE);
        Moment gone = new Moment(now, 1, Optional.of("gone"));
        after(decider.acquire(record, request.withMinHold(Duration.ofSeconds(60)), gone));
        after(decider.acquire(record, request, gone));
        record = record.endSessions("gone"::equals, now);
        assertThat(record.holders().isEmpty()).isTrue();
    }

    @Test
    void endsADetachedHoldByTheClockOfTheRecordOrByTheWallClock() {
        Moment ahead = new Moment(now, now, now + 7_200_000_000L, 1, Optional.of("gone"));
        after(decider.acquire(record, request("a", 1, Queueing.NONE), ahead));
        record = record.detach(new TenureId("a", 1), 30_000_000, ahead);
        assertThat(record.expire(now + 29_999_999).holders().isEmpty()).isFalse();
        assertThat(record.expire(now + 30_000_000).holders().isEmpty()).isTrue();
        assertThat(record.endSessions(none -> false, ahead.wall() + 30_000_000)
                        .holders()
                        .isEmpty())
                .isTrue();
    }

    private Moment in(String session) {
        return new Moment(now, 1, Optional.of(session));
    }

    @Test
    void anEndedSessionTakesNoHoldFromAnother() {
        for (String session : List.of("gone", "here")) {
            after(decider.acquire(
                    record, request("a-" + session, 1, Queueing.NONE).withShare(Share.READ), in(session)));
        }
        record = record.endSessions("gone"::equals, now);
        assertThat(record.holders().all())
                .singleElement()
                .matches(holder -> holder.claimant().isOf("a-here"));
    }

    @Test
    void aClientOfAnEndedSessionListensNoLonger() {
        assertThat(applied(change(Change.Kind.TRY_COUNT, 1, 1))).isTrue();
        listens("b", in("gone"));
        listens("c", in("here"));
        record = record.endSessions("gone"::equals, now);
        opens();
        assertThat(notices).containsExactly(new Notice(new Party("c", Optional.of("here")), new Signal.Changed(NAME)));
    }

    @Test
    void aClientThatClosesWaitsNoLongerAndHoldsOn() {
        held();
        refused(request("holder", 2, Queueing.FAIR));
        refused(request("a", 1, Queueing.FAIR));
        record = record.withoutWaitsOf("holder");
        assertThat(record.holders().all()).hasSize(1);
        assertThat(record.queue().all())
                .singleElement()
                .matches(place -> place.claimant().isOf("a"));
    }

    // ---- notices

    @Test
    void aNoticeCanNameTheLockAsItsReceiverDoes() {
        held();
        refused(request("a", 1, Queueing.FAIR));
        assertThat(notices).containsExactly(new Notice(Party.of("holder"), new Signal.Wanted(NAME)));
        assertThat(notices.get(0).named("prefix:n")).isEqualTo(new Signal.Wanted("prefix:n"));
        var unused = after(decider.forceRelease(record, NAME, moment()));
        assertThat(notices)
                .hasSize(2)
                .allSatisfy(notice -> assertThat(notice.named("other"))
                        .isNotEqualTo(notice.signal())
                        .isEqualTo(new Notice(notice.to(), notice.named("x")).named("other")));
    }
}
