package io.holdfast.support.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Change;
import io.holdfast.spi.Release;
import io.holdfast.spi.Share;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

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
            assertThat(refused(request("c" + i, 1, Queueing.BARGING)).arrival()).isPositive();
        }
        LockRecord full = record;
        assertThat(refused(request("late", 1, Queueing.BARGING)).arrival()).isZero();
        assertThat(record).isEqualTo(full);
        assertThat(notices).isEmpty();
        assertThat(refused(request("c7", 1, Queueing.BARGING)).arrival()).isPositive();
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
        Decider two = new Decider(new Limits(1_000_000, 9, 9, 2, 1));
        record = LockRecord.EMPTY.withLimit(OptionalInt.of(1));
        for (int i = 1; i <= 4; i++) {
            after(two.acquire(record, request("c" + i, 1, Queueing.BARGING).withShare(Share.permits(1)), moment()));
        }
        after(two.change(record, change(Change.Kind.SET_PERMITS, 1, 9), moment()));
        assertThat(record.holders().all()).hasSize(2);
        assertThat(notices).hasSize(1);
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
    void aPollThatWantsSomethingElseIsWritten() {
        held();
        refused(request("a", 1, Queueing.BARGING));
        refused(request("a", 1, Queueing.BARGING).withLease(Duration.ofSeconds(7)));
        assertThat(record.queue().all()).singleElement().matches(place -> place.lease() == 7_000_000);
        refused(request("a", 1, Queueing.FAIR));
        assertThat(record.queue().all()).singleElement().matches(Place::fair);
    }

    @Test
    void aRequestThatGetsNothingWritesNothing() {
        held();
        LockRecord before = record;
        refused(request("a", 1, Queueing.NONE));
        assertThat(record).isEqualTo(before);
        var released = after(decider.release(record, Release.of(NAME, new TenureId("a", 1)), moment()));
        assertThat(released.held()).isFalse();
        assertThat(record).isEqualTo(before);
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
        return new Change(kind, NAME, new TenureId("a", number), amount, Optional.empty(), Long.MAX_VALUE);
    }

    private boolean applied(Change change) {
        return ((Change.Done) after(decider.change(record, change, moment()))).applied();
    }

    @Test
    void oneChangeOfAClientIsRememberedAndAnOlderOneIsNotAppliedAgain() {
        Change set = change(Change.Kind.TRY_COUNT, 1, 9);
        Change down = change(Change.Kind.COUNT_DOWN, 2, 1);
        Change again = change(Change.Kind.COUNT_DOWN, 3, 1);
        assertThat(List.of(applied(set), applied(down), applied(again))).containsOnly(true);
        assertThat(record.changes().all()).hasSize(1);
        LockRecord before = record;
        assertThat(List.of(applied(again), applied(down), applied(set))).containsOnly(true);
        assertThat(record).isEqualTo(before);
        assertThat(record.latch())
                .hasValueSatisfying(latch -> assertThat(latch.count()).isEqualTo(7));
    }

    @Test
    void aChangeIsRememberedForAMinute() {
        assertThat(applied(change(Change.Kind.TRY_PERMITS, 1, 2))).isTrue();
        now += 60_000_000;
        assertThat(applied(change(Change.Kind.TRY_PERMITS, 1, 2))).isTrue();
        now++;
        assertThat(applied(change(Change.Kind.TRY_PERMITS, 1, 2))).isFalse();
    }

    // ---- sessions

    @Test
    void whatAnEndedSessionHadIsForTheNext() {
        after(decider.acquire(record, request("a", 1, Queueing.NONE), new Moment(now, 1, Optional.of("gone"))));
        after(decider.acquire(record, request("a", 2, Queueing.FAIR), new Moment(now, 1, Optional.of("gone"))));
        after(decider.acquire(record, request("b", 1, Queueing.FAIR), new Moment(now, 1, Optional.of("here"))));
        record = record.endSessions("gone"::equals);
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
