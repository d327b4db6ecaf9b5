package io.holdfast.support.record;

import io.holdfast.spi.TenureId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The changes of a counter that were decided in the last minute. They are remembered so that a duplicate changes nothing.
 *
 * @param all the changes, in the order of their decisions
 */
public record Changes(List<Decided> all) {

    /** The changes of a counter that has none in the last minute. */
    public static final Changes NONE = new Changes(List.of());

    private static final long LIFE = 60_000_000;

    /**
     * A change, and the answer to it.
     *
     * @param change the id of the change
     * @param applied {@code true} if it was applied
     * @param at the time of the decision
     */
    public record Decided(TenureId change, boolean applied, long at) {

        private boolean isOf(String clientId) {
            return change.clientId().equals(clientId);
        }
    }

    /** Copies the list. */
    public Changes {
        all = List.copyOf(all);
    }

    /** Returns the answer to a change; empty if it is not remembered. */
    Optional<Boolean> answerTo(TenureId change) {
        return all.stream()
                .filter(each -> each.change.equals(change))
                .map(Decided::applied)
                .findFirst();
    }

    /**
     * Returns {@code true} if the change may have been decided and forgotten. This is the case if the store remembers the maximum
     * number of changes of the client, and all of them are later.
     */
    boolean mayHaveForgotten(TenureId change, int changesPerClient) {
        return of(change.clientId()).count() >= changesPerClient
                && of(change.clientId()).allMatch(each -> change.number() < each.change.number());
    }

    boolean include(String clientId) {
        return of(clientId).findAny().isPresent();
    }

    private Stream<Decided> of(String clientId) {
        return all.stream().filter(each -> each.isOf(clientId));
    }

    /** Adds a change, and forgets the oldest one of the client if the limit is exceeded. */
    Changes with(Decided fresh, int changesPerClient) {
        List<Decided> changed = new ArrayList<>(all);
        of(fresh.change.clientId())
                .limit(Math.max(0, of(fresh.change.clientId()).count() + 1 - changesPerClient))
                .forEach(changed::remove);
        changed.add(fresh);
        return new Changes(changed);
    }

    Changes expire(long now) {
        return all.stream().noneMatch(each -> now - each.at > LIFE)
                ? this
                : new Changes(all.stream().filter(each -> now - each.at <= LIFE).toList());
    }
}
