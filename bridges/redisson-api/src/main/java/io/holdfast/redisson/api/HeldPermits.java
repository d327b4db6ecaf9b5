package io.holdfast.redisson.api;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.LeaseLostException;
import io.holdfast.Permit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * The permits that this client acquired by {@code RSemaphore}, until they are released. Redisson releases a number, and
 * Holdfast a {@link Permit}.
 *
 * <p>A permit that was lost stays here until it is released, so that its release throws and frees no permit of another owner.
 * Only the latest {@value #MOST_LOST} losses are kept.
 */
final class HeldPermits {

    static final int MOST_LOST = 1000;

    private record Held(Permit permit, long thread) {}

    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<String, List<Held>> byName = new HashMap<>();
    private final Deque<Held> lost = new ArrayDeque<>();

    /** Records a permit that a call of the given thread acquired. */
    void add(Permit permit, long thread) {
        Held held = new Held(permit, thread);
        mutex.lock();
        try {
            byName.computeIfAbsent(permit.name(), name -> new ArrayList<>()).add(held);
        } finally {
            mutex.unlock();
        }
        permit.onLost(loss -> lost(held, loss));
    }

    private void lost(Held held, LeaseLostException loss) {
        mutex.lock();
        try {
            if (byName.getOrDefault(loss.name(), List.of()).contains(held)) {
                lost.addLast(held);
            }
            if (lost.size() > MOST_LOST) {
                remove(lost.getFirst().permit.name(), lost.getFirst());
            }
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Removes and returns permits that make up the given number: those of the thread first, then those that were lost, then the
     * oldest.
     *
     * @throws UnsupportedOperationException if no permits make up that number
     */
    List<Permit> take(String name, int count, long thread) {
        mutex.lock();
        try {
            List<Held> candidates = candidates(name, thread);
            List<Held> taken = choose(name, count, candidates);
            taken.forEach(held -> remove(name, held));
            return taken.stream().map(Held::permit).toList();
        } finally {
            mutex.unlock();
        }
    }

    private List<Held> candidates(String name, long thread) {
        Map<Integer, List<Held>> byRank = byName.getOrDefault(name, List.of()).stream()
                .collect(Collectors.groupingBy(held -> rank(held, thread), TreeMap::new, Collectors.toList()));
        return byRank.values().stream().flatMap(List::stream).toList();
    }

    private static int rank(Held held, long thread) {
        int ownOrOther = held.thread == thread ? 0 : 2;
        return held.permit.isValid() ? ownOrOther + 1 : ownOrOther;
    }

    /** For each sum up to the number, keeps the first choice of permits that has it. */
    private static List<Held> choose(String name, int count, List<Held> candidates) {
        Map<Integer, List<Held>> choices = new LinkedHashMap<>(Map.of(0, List.of()));
        for (Held held : candidates) {
            for (Map.Entry<Integer, List<Held>> choice : List.copyOf(choices.entrySet())) {
                int sum = choice.getKey() + held.permit.count();
                if (sum <= count) {
                    choices.computeIfAbsent(sum, s -> with(choice.getValue(), held));
                }
            }
            if (choices.containsKey(count)) {
                return choices.get(count);
            }
        }
        throw refusal(name, count, candidates);
    }

    private static List<Held> with(List<Held> chosen, Held held) {
        List<Held> longer = new ArrayList<>(chosen);
        longer.add(held);
        return longer;
    }

    private static UnsupportedOperationException refusal(String name, int count, List<Held> candidates) {
        List<Integer> counts =
                candidates.stream().map(held -> held.permit.count()).toList();
        return new UnsupportedOperationException(
                "semaphore " + quoted(name) + ": release(" + count + ") needs permits that"
                        + " this client acquired, and that were acquired together only if all of them are released. It holds "
                        + (counts.isEmpty() ? "none" : "permits acquired as " + counts)
                        + ". To raise the number of permits, use addPermits(" + count + ")");
    }

    private void remove(String name, Held held) {
        lost.remove(held);
        List<Held> rest = byName.getOrDefault(name, new ArrayList<>());
        rest.remove(held);
        if (rest.isEmpty()) {
            byName.remove(name);
        }
    }

    /** Takes back a permit that the caller does not know of, and releases it. */
    void undo(Permit permit) {
        mutex.lock();
        try {
            List.copyOf(byName.getOrDefault(permit.name(), List.of())).stream()
                    .filter(held -> held.permit == permit)
                    .forEach(held -> remove(permit.name(), held));
        } finally {
            mutex.unlock();
        }
        var unused = permit.closeAsync();
    }

    /** Returns the number of permits of the name, held or lost. */
    int total(String name) {
        mutex.lock();
        try {
            return byName.getOrDefault(name, List.of()).stream()
                    .mapToInt(held -> held.permit.count())
                    .sum();
        } finally {
            mutex.unlock();
        }
    }
}
