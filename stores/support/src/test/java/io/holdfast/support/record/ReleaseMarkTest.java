package io.holdfast.support.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Change;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever other clients do between two copies of a release, the second one finds no loss if the first one was applied. A loss is
 * found at least until another hold is released, or begins. Each failure names its seed; {@code -Dholdfast.seed=} begins with it.
 */
class ReleaseMarkTest {

    private static final int HISTORIES = Integer.getInteger("holdfast.seeds", 200);
    private static final int STEPS = 60;
    private static final String NAME = "n";

    private final long firstSeed = Long.getLong("holdfast.seed", new Random().nextInt(1_000_000));
    private final Decider decider = new Decider(Limits.STANDARD);

    /** The modes that a name has at a time. A name may also change from a lock to a read/write lock. */
    private enum Kind {
        LOCK,
        READ_WRITE,
        SEMAPHORE,
        CHANGING;

        private List<Share> shares() {
            return switch (this) {
                case LOCK -> List.of(Share.LOCK);
                case READ_WRITE -> List.of(Share.READ, Share.WRITE);
                case SEMAPHORE -> List.of(Share.permits(1));
                case CHANGING -> List.of(Share.LOCK, Share.READ, Share.WRITE);
            };
        }
    }

    private static final class Hold {

        private final TenureId tenure;
        private final Mode mode;
        private long lastToken;
        private long keptToken;
        private boolean released;
        private boolean lost;
        private boolean othersReleased;

        Hold(TenureId tenure, Mode mode) {
            this.tenure = tenure;
            this.mode = mode;
        }

        Release release() {
            return Release.of(NAME, tenure)
                    .withMode(mode)
                    .withLastToken(lastToken)
                    .withKeptToken(keptToken);
        }
    }

    /** Requests of some clients for one name. */
    private final class History {

        private final Random random;
        private final Kind kind;
        private final List<Hold> all = new ArrayList<>();
        private LockRecord record = LockRecord.EMPTY;
        private long now = 1_790_000_000_000_000L;
        private int lossesFound;

        History(long seed, Kind kind) {
            this.random = new Random(seed);
            this.kind = kind;
            if (kind == Kind.SEMAPHORE) {
                apply(decider.change(
                        record,
                        new Change(
                                Change.Kind.TRY_PERMITS,
                                NAME,
                                new TenureId("c", 1),
                                3,
                                Optional.empty(),
                                Long.MAX_VALUE),
                        moment()));
            }
        }

        private Moment moment() {
            return Moment.of(now, 1);
        }

        private <R> R apply(Decision<R> decision) {
            record = decision.record();
            return decision.reply();
        }

        private boolean holds(Hold hold) {
            return record.expire(now).holders().of(hold.tenure).isPresent();
        }

        void step() {
            now += random.nextInt(4) == 0 ? random.nextInt(2_000_000) : random.nextInt(50);
            List<Hold> held = all.stream().filter(this::holds).toList();
            switch (held.isEmpty() ? 0 : random.nextInt(6)) {
                case 0, 1 -> acquire();
                case 2 -> renew(held.get(random.nextInt(held.size())));
                case 3, 4 -> release(held.get(random.nextInt(held.size())));
                default -> takeAway(held.get(0));
            }
            all.stream().filter(hold -> !hold.released && !holds(hold)).forEach(hold -> hold.lost = true);
        }

        private void acquire() {
            Share share = kind.shares().get(random.nextInt(kind.shares().size()));
            TenureId tenure = new TenureId("client-" + random.nextInt(3), all.size() + 1L);
            Acquire request = Acquire.of(NAME, tenure, Duration.ofMillis(1 + random.nextInt(3_000)))
                    .withShare(share)
                    .withTokens(1 + random.nextInt(20_000));
            boolean otherKind = record.expire(now).holders().areOfOtherKind(share.mode());
            if (!otherKind && apply(decider.acquire(record, request, moment())) instanceof Acquire.Granted granted) {
                Hold hold = new Hold(tenure, share.mode());
                hold.keptToken = granted.tokens().last();
                all.add(hold);
            }
        }

        private void renew(Hold hold) {
            Renew request = new Renew(NAME, hold.tenure, hold.mode, Duration.ofSeconds(1), random.nextInt(9_000));
            if (apply(decider.renew(record, request, moment())) instanceof Renew.Renewed renewed
                    && random.nextBoolean()) {
                // the answer may also be lost: then only earlier tokens are known
                hold.keptToken = renewed.tokens().map(TokenBlock::last).orElse(hold.keptToken);
            }
        }

        private void release(Hold hold) {
            if (random.nextBoolean()) {
                hold.lastToken = hold.keptToken - random.nextInt(3_000);
                hold.keptToken = hold.lastToken;
            }
            assertThat(apply(decider.release(record, hold.release(), moment())).held())
                    .isTrue();
            hold.released = true;
            all.stream().filter(each -> !each.released).forEach(each -> each.othersReleased = true);
        }

        private void takeAway(Hold hold) {
            var unused = hold.mode == Mode.PERMITS
                    ? apply(decider.revoke(record, NAME, hold.tenure, moment()))
                    : apply(decider.forceRelease(record, NAME, moment()));
        }

        void check(String where) {
            for (Hold hold : all) {
                Release.Reply again =
                        decider.release(record, hold.release(), moment()).reply();
                if (hold.released) {
                    assertThat(again.lost())
                            .as("%s: %s was released", where, hold.tenure)
                            .isFalse();
                } else if (hold.lost && mustBeFound(hold)) {
                    assertThat(again.lost())
                            .as("%s: %s was lost", where, hold.tenure)
                            .isTrue();
                    lossesFound++;
                }
            }
        }

        /** The next holder of a lock, and each release, may hide a loss. */
        private boolean mustBeFound(Hold hold) {
            boolean locks = kind.shares().contains(Share.LOCK);
            return !hold.othersReleased && !(locks && all.indexOf(hold) < all.size() - 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void findsNoLossAfterAReleaseThatWasApplied(Kind kind) {
        int losses = 0;
        for (long seed = firstSeed; seed < firstSeed + HISTORIES; seed++) {
            History history = new History(seed, kind);
            for (int step = 0; step < STEPS; step++) {
                history.step();
                history.check("seed " + seed + ", step " + step);
            }
            losses += history.lossesFound;
        }
        assertThat(losses).as("losses that were found, from seed %d", firstSeed).isGreaterThan(HISTORIES);
    }
}
