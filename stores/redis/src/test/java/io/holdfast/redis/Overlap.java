package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.check.HistoryChecker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a server that forgets may cost: for at most a lease, two sides that exclude nobody of the other.
 *
 * <p>The old side goes on with what the server granted before, and passes it on, until it is told. The new side has what
 * was granted since. Each side by itself keeps all promises.
 */
final class Overlap {

    /**
     * When the server forgot.
     *
     * @param micros on the clock of the server: what it granted before that is forgotten
     * @param notBefore in {@code nanoTime}
     * @param notAfter in {@code nanoTime}
     */
    record Fault(long micros, long notBefore, long notAfter) {}

    /** A turn, and where its token came from. */
    private record Held(Turn turn, Grants.Grant grant) {}

    private final List<Held> all;
    private final List<Held> old;
    private final List<Held> young;
    private final Fault fault;
    private final long ends;
    private final List<Grants.Denial> denials;
    private final List<Turn.Unused> unused;
    private final Predicate<Turn> unconfirmed;

    Overlap(Crowd crowd, Grants grants, Fault fault, Duration lease) {
        this.fault = fault;
        ends = fault.notAfter + lease.toNanos();
        denials = grants.denials();
        unused = crowd.unused();
        unconfirmed = crowd::unlockedUnconfirmed;
        all = crowd.turns().stream()
                .map(turn -> new Held(turn, grants.of(turn)))
                .sorted(Comparator.comparingLong(held -> held.turn.begun))
                .toList();
        old = those(held -> held.grant.micros() < fault.micros);
        young = those(held -> held.grant.micros() >= fault.micros);
    }

    private List<Held> those(Predicate<Held> wanted) {
        return all.stream().filter(wanted).toList();
    }

    private static Map<String, List<Held>> byName(List<Held> side) {
        return side.stream().collect(Collectors.groupingBy(held -> held.turn.name));
    }

    void check() {
        eachSideByItselfKeepsAllPromises();
        theOldSideHasTheLowerTokens();
        theOldSideEndsWithinALease();
        onlyTheOldSideIsOutOfOrderAndOnlyWhileItLasts();
        theOldSideIsTold();
    }

    /** So two holds that are valid at the same time are of different sides. */
    private void eachSideByItselfKeepsAllPromises() {
        for (List<Held> side : List.of(old, young)) {
            assertThat(byName(side)).containsOnlyKeys(byName(all).keySet());
            HistoryChecker history = new HistoryChecker();
            side.forEach(held -> held.turn.report(history));
            history.check(System.nanoTime());
        }
    }

    private void theOldSideHasTheLowerTokens() {
        byName(old).forEach((name, ofName) -> {
            long highest =
                    ofName.stream().mapToLong(held -> held.turn.token).max().orElseThrow();
            assertThat(byName(young).get(name))
                    .as("granted after the fault")
                    .allSatisfy(held -> assertThat(held.turn.token).isGreaterThan(highest));
        });
    }

    private void theOldSideEndsWithinALease() {
        assertThat(old).allSatisfy(held -> assertThat(held.turn.end()).isLessThan(ends));
        assertThat(young).allSatisfy(held -> assertThat(held.turn.begun).isGreaterThan(fault.notBefore));
    }

    /** A token below an earlier one was given by the old side, after the fault, and at most a lease later. */
    private void onlyTheOldSideIsOutOfOrderAndOnlyWhileItLasts() {
        assertThat(outOfOrder()).allSatisfy(held -> {
            assertThat(old).contains(held);
            assertThat(held.turn.begun).isBetween(fault.notBefore, ends);
        });
    }

    private List<Held> outOfOrder() {
        List<Held> found = new ArrayList<>();
        Map<String, Long> highest = new HashMap<>();
        for (Held held : all) {
            if (held.turn.token <= highest.getOrDefault(held.turn.name, 0L)) {
                found.add(held);
            }
            highest.merge(held.turn.name, held.turn.token, Math::max);
        }
        return found;
    }

    /** Returns {@code true} if the old side did pass the name on while the new side had it, too. */
    boolean lasted(String name) {
        return outOfOrder().stream().anyMatch(held -> held.turn.name.equals(name));
    }

    /**
     * Asserts that each old holder is notified whose client learned of the loss, by a renewal or by its own release, and nobody
     * else. Its unlock fails, too, unless it returned before the store answered.
     */
    private void theOldSideIsTold() {
        assertThat(denials.stream().flatMap(this::losers)).allMatch(held -> held.turn.wasTold());
        assertThat(old)
                .filteredOn(held -> !(held.turn.wasTold() && unconfirmed.test(held.turn)))
                .allSatisfy(held -> assertThat(held.turn.wasTold()).isEqualTo(held.turn.wasRefused()));
    }

    private Stream<Held> losers(Grants.Denial denial) {
        List<Held> ofTenure = those(held -> held.grant.tenure().equals(denial.tenure()));
        return denial.ofRelease()
                ? lastOf(ofTenure)
                        .filter(held -> held.turn.unlocksDuring(denial.sent(), denial.heard()))
                        .filter(held -> !releasedUnused(held.turn, denial))
                : ofTenure.stream().filter(held -> held.turn.unlocksAfter(denial.known()));
    }

    /** The tenure may have been passed on once more, to a thread that lost it before its turn began. */
    private boolean releasedUnused(Turn turn, Grants.Denial denial) {
        return unused.stream().anyMatch(lost -> lost.isOf(turn) && lost.unlocksDuring(denial.sent(), denial.heard()));
    }

    /** Only the last one of a tenure releases it; those before it may still be returning from having passed it on. */
    private static Stream<Held> lastOf(List<Held> ofTenure) {
        return ofTenure.stream().skip(Math.max(0, ofTenure.size() - 1));
    }
}
