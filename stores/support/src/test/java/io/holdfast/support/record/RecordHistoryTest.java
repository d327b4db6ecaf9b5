package io.holdfast.support.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import io.holdfast.support.record.RandomHistory.Kind;
import io.holdfast.support.record.RandomHistory.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds of a record after any requests. Each failure names its seed; {@code -Dholdfast.seed=} begins with it. */
class RecordHistoryTest {

    private static final int HISTORIES = Integer.getInteger("holdfast.seeds", 60);
    private static final int STEPS = 200;
    private static final Limits SMALL = new Limits(1_000_000, 8, 8, 3, 3, 1);

    private final long firstSeed = Long.getLong("holdfast.seed", new Random().nextInt(1_000_000));

    /** What is checked of one step. */
    private interface Check {

        void check(LockRecord before, Outcome outcome, RandomHistory history, String where);
    }

    private static Limits limits(long seed) {
        return List.of(Limits.STANDARD, Limits.NONE, SMALL).get((int) (seed % 3));
    }

    private void afterEachStep(Kind kind, Check check) {
        System.out.printf("histories of %s: %d from seed %d%n", kind, HISTORIES, firstSeed);
        for (long seed = firstSeed; seed < firstSeed + HISTORIES; seed++) {
            RandomHistory history = new RandomHistory(seed, kind, limits(seed));
            for (int step = 0; step < STEPS; step++) {
                LockRecord before = history.record();
                check.check(before, history.step(), history, "seed " + seed + ", step " + step);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRecordIsReadAsItWasWritten(Kind kind) {
        afterEachStep(kind, (before, outcome, history, where) -> {
            String text = RecordText.encode(RandomHistory.NAME, before, outcome.record());
            assertThat(RecordText.decode(RandomHistory.NAME, text))
                    .as("%s: %s", where, text)
                    .isEqualTo(outcome.record());
            assertThat(text).as(where).matches("\\p{Graph}+");
        });
    }

    @ParameterizedTest
    @EnumSource
    void whatAStoreReadsDecidesAsWhatItWrote(Kind kind) {
        for (long seed = firstSeed; seed < firstSeed + HISTORIES; seed++) {
            RandomHistory kept = new RandomHistory(seed, kind, limits(seed));
            RandomHistory written = new RandomHistory(seed, kind, limits(seed));
            for (int step = 0; step < STEPS; step++) {
                Outcome expected = kept.step();
                assertThat(written.step()).as("seed %d, step %d", seed, step).isEqualTo(expected);
                String text = RecordText.encode(RandomHistory.NAME, written.record(), written.record());
                written.become(RecordText.decode(RandomHistory.NAME, text));
            }
        }
    }

    /** The columns do not keep the tokens of a hold that is claimed, nor the arrivals of waiters that are gone. */
    @ParameterizedTest
    @EnumSource
    void columnsDecideAsTheRecordDoes(Kind kind) {
        afterEachStep(kind, (before, outcome, history, where) -> {
            LockRecord record = withoutSessions(outcome.record());
            RecordColumns columns = RecordColumns.of(RandomHistory.NAME, record, record);
            assertThat(essence(columns.record(RandomHistory.NAME)))
                    .as("%s: %s", where, columns)
                    .isEqualTo(essence(record));
            boolean waits = record.isInUse()
                    && !(columns.tenure().isPresent() && record.queue().isEmpty());
            assertThat(waits && columns.state().isEmpty()).as(where).isFalse();
        });
    }

    /** A database has no sessions. */
    private static LockRecord withoutSessions(LockRecord record) {
        return record.with(new Holders(record.holders().all().stream()
                .map(holder -> new Holder(
                        Claimant.of(holder.tenure(), Optional.empty()),
                        holder.mode(),
                        holder.expires(),
                        0,
                        holder.permits(),
                        holder.grant(),
                        holder.unclaimed()))
                .toList()));
    }

    private static LockRecord essence(LockRecord record) {
        LockRecord left = record.with(new Holders(record.holders().all().stream()
                .map(holder -> holder.mode() == Mode.LOCK && !holder.unclaimed() ? holder.granted(Grant.NONE) : holder)
                .toList()));
        return record.queue().isEmpty() ? left.with(Places.EMPTY) : left;
    }

    @Test
    void aRenewalOfTheColumnsClaimsAnAssignment() {
        TenureId waiter = new TenureId("client-2", 1);
        Decider decider = new Decider(Limits.STANDARD);
        LockRecord record = assignedTo(waiter, decider);
        RecordColumns columns = RecordColumns.of(RandomHistory.NAME, record, record);
        assertThat(columns.state()).isPresent();
        assertThat(columns.record(RandomHistory.NAME)
                        .holders()
                        .of(waiter)
                        .orElseThrow()
                        .unclaimed())
                .isTrue();
        RecordColumns renewed = new RecordColumns(
                columns.tenure(),
                columns.expires() + 1,
                columns.lastUnit(),
                columns.floorUnit(),
                columns.waiters(),
                columns.state());
        Holder claimed = renewed.record(RandomHistory.NAME).holders().of(waiter).orElseThrow();
        assertThat(claimed.unclaimed()).isFalse();
        assertThat(claimed.expires()).isEqualTo(columns.expires() + 1);
    }

    private static LockRecord assignedTo(TenureId waiter, Decider decider) {
        TenureId holder = new TenureId("client-1", 1);
        Duration lease = Duration.ofSeconds(30);
        Moment moment = Moment.of(1_790_000_000_000_000L, 7);
        LockRecord held = decider.acquire(LockRecord.EMPTY, Acquire.of(RandomHistory.NAME, holder, lease), moment)
                .record();
        LockRecord awaited = decider.acquire(
                        held, Acquire.of(RandomHistory.NAME, waiter, lease).queued(Acquire.Queueing.FAIR, 0), moment)
                .record();
        return decider.release(awaited, Release.of(RandomHistory.NAME, holder), moment)
                .record();
    }

    @ParameterizedTest
    @EnumSource
    void signalsAreFoundByReadingAgain(Kind kind) {
        afterEachStep(kind, (before, outcome, history, where) -> {
            Moment moment = Moment.of(history.now(), 7);
            for (Notice notice : outcome.notices()) {
                List<Signal> found = new Sightings(
                                notice.to().clientId(), RandomHistory.NAME, before, outcome.record(), moment)
                        .signals();
                assertThat(isPast(notice, before, outcome)
                                || found.stream().anyMatch(each -> isLike(each, notice.signal())))
                        .as("%s: %s instead of %s: %s, then %s", where, found, notice, before, outcome)
                        .isTrue();
            }
        });
    }

    /**
     * What the same request has made pointless: an assignment that is claimed, a hold that is assigned again, a waiter that an
     * assignment reports, no new place.
     */
    private static boolean isPast(Notice notice, LockRecord before, Outcome outcome) {
        LockRecord now = outcome.record();
        if (notice.signal() instanceof Signal.Assigned assigned) {
            return !now.holders()
                    .of(assigned.tenure())
                    .filter(Holder::unclaimed)
                    .isPresent();
        }
        if (notice.signal() instanceof Signal.Revoked revoked) {
            return now.holders().include(revoked.tenure());
        }
        boolean isNew = before.holders().all().stream()
                .noneMatch(holder -> holder.claimant().isOf(notice.to().clientId()));
        boolean hasNoNewPlace = now.queue().all().stream()
                .allMatch(place -> before.queue().of(place.tenure()).isPresent());
        return notice.signal() instanceof Signal.Wanted && (isNew || hasNoNewPlace);
    }

    /** The same signal; the numbers of waiters may be more recent. */
    private static boolean isLike(Signal found, Signal sent) {
        if (found instanceof Signal.Assigned one && sent instanceof Signal.Assigned other) {
            return one.tenure().equals(other.tenure())
                    && one.tokens().equals(other.tokens())
                    && one.expiresMicros() == other.expiresMicros()
                    && one.run() == other.run();
        }
        return found.equals(sent);
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsFoundInAnUnchangedRecord(Kind kind) {
        afterEachStep(kind, (before, outcome, history, where) -> {
            LockRecord record = outcome.record();
            Moment moment = Moment.of(history.now(), 7);
            for (int client = 0; client < 5; client++) {
                assertThat(new Sightings("client-" + client, RandomHistory.NAME, record, record, moment).signals())
                        .as(where)
                        .isEmpty();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void noTwoHoldersConflict(Kind kind) {
        afterEachStep(kind, (before, outcome, history, where) -> {
            List<Holder> holders = outcome.record().holders().all();
            assertThat(holders)
                    .as(where)
                    .allMatch(one -> holders.stream()
                            .filter(other -> !other.equals(one))
                            .allMatch(other -> areAllowed(one, other)));
        });
    }

    /** A writer may be beside what the same client reads by, and permits are only counted. */
    private static boolean areAllowed(Holder one, Holder other) {
        boolean sameClient = one.claimant().isOf(other.tenure().clientId());
        boolean beside = (one.mode() == Mode.WRITE && other.mode() == Mode.READ)
                || (one.mode() == Mode.READ && other.mode() == Mode.WRITE);
        return (sameClient && beside)
                || (one.mode() == Mode.PERMITS && other.mode() == Mode.PERMITS)
                || one.mode().isCompatibleWith(other.mode());
    }

    @ParameterizedTest
    @EnumSource(names = "SEMAPHORE")
    void noPermitIsHeldTwice(Kind kind) {
        afterEachStep(kind, (before, outcome, history, where) -> {
            int heldBefore = before.expire(history.now()).holders().permits();
            int held = outcome.record().expire(history.now()).holders().permits();
            assertThat(held <= outcome.record().limit().orElse(0) || held <= heldBefore)
                    .as("%s: %s", where, outcome)
                    .isTrue();
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"READ_WRITE", "SEMAPHORE"})
    void tokensRise(Kind kind) {
        AtomicLong last = new AtomicLong();
        afterEachStep(kind, (before, outcome, history, where) -> {
            if (before.equals(LockRecord.EMPTY)) {
                last.set(0);
            }
            tokens(outcome)
                    .forEach(block -> assertThat(block.first()).as(where).isGreaterThan(last.getAndSet(block.last())));
        });
    }

    /** A lock takes back what its holder did not use, and nothing that another holder may have used. */
    @ParameterizedTest
    @EnumSource(names = "LOCK")
    void tokensRiseAboveThoseOfOtherHolders(Kind kind) {
        afterEachStep(
                kind,
                (before, outcome, history, where) -> tokens(outcome)
                        .forEach(block -> assertThat(block.first())
                                .as(where)
                                .isGreaterThan(before.tokens().floor() << 10)));
    }

    /** Returns the tokens of an outcome, those of assignments first, because the queue is served before a grant. */
    private static List<TokenBlock> tokens(Outcome outcome) {
        List<TokenBlock> tokens = new ArrayList<>();
        for (Notice notice : outcome.notices()) {
            if (notice.signal() instanceof Signal.Assigned assigned) {
                tokens.add(assigned.tokens());
            }
        }
        if (outcome.reply() instanceof Acquire.Granted granted) {
            tokens.add(granted.tokens());
        } else if (outcome.reply() instanceof Renew.Renewed renewed) {
            renewed.tokens().ifPresent(tokens::add);
        }
        return tokens;
    }

    @ParameterizedTest
    @EnumSource
    void theQueueKeepsItsOrderAndItsLimits(Kind kind) {
        afterEachStep(kind, (before, outcome, history, where) -> {
            LockRecord record = outcome.record();
            List<Place> places = record.queue().all();
            Limits limits = history.limits();
            assertThat(places.stream().map(Place::arrival)).as(where).isSorted();
            assertThat(places.stream().map(Place::tenure)).as(where).doesNotHaveDuplicates();
            assertThat(places.size()).as(where).isLessThanOrEqualTo(limits.places());
            assertThat(record.holders().all().size()).as(where).isLessThanOrEqualTo(limits.holders());
        });
    }

    @ParameterizedTest
    @EnumSource
    void whatHasEndedEndsOnce(Kind kind) {
        afterEachStep(kind, (before, outcome, history, where) -> {
            LockRecord left = outcome.record().expire(history.now());
            assertThat(left.expire(history.now())).as(where).isEqualTo(left);
            assertThat(left.holders().all()).as(where).allMatch(holder -> holder.expires() > history.now());
        });
    }

    @ParameterizedTest
    @EnumSource(names = "LOCK")
    void aReleasedLockIsAssignedToAFairPlaceUnlessAnotherWasWoken(Kind kind) {
        afterEachStep(kind, (before, outcome, history, where) -> {
            LockRecord record = outcome.record();
            boolean waits = outcome.reply() instanceof Release.Reply
                    && record.holders().isEmpty()
                    && record.queue().all().stream().limit(1).anyMatch(Place::fair);
            assertThat(waits && outcome.notices().isEmpty())
                    .as("%s: %s", where, record)
                    .isFalse();
        });
    }
}
