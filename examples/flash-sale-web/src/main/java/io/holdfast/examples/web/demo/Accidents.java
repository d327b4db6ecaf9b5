package io.holdfast.examples.web.demo;

import io.holdfast.examples.web.Books;
import io.holdfast.examples.web.Entry;
import io.holdfast.examples.web.Way;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The faults, which strike an instance while it is between check and write. */
final class Accidents {

    /** The time after which the store has all that a stopped process had sent. */
    private static final Duration SETTLE = Duration.ofMillis(30);

    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final Books books;
    private final Way way;
    private final Buyers buyers;

    Accidents(Books books, Way way, Buyers buyers) {
        this.books = books;
        this.way = way;
        this.buyers = buyers;
    }

    /**
     * Stops the instance between check and write. If it was elsewhere when it was stopped, it continues, and is stopped again a
     * little later.
     *
     * @return the pause; empty if the instance was elsewhere for too long
     */
    Optional<Pause> stopInside(Instance instance) throws IOException, InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (System.nanoTime() - end < 0) {
            Pause pause = Pause.of(instance.pid());
            TimeUnit.MILLISECONDS.sleep(SETTLE.toMillis());
            if (isInside(instance.number(), books.orders(way), books.others(way))) {
                return Optional.of(pause);
            }
            pause.end();
            buyers.keepBusy();
            TimeUnit.MILLISECONDS.sleep(SETTLE.toMillis() / 3);
        }
        return Optional.empty();
    }

    /** Returns {@code true} if the instance has read the stock in a purchase whose write is not in the journal. */
    static boolean isInside(int instance, List<Books.Timed> orders, List<Books.Timed> others) {
        Set<Long> open = new HashSet<>();
        entriesOf(instance, others)
                .filter(entry -> entry.event() == Entry.Event.READ)
                .forEach(entry -> open.add(entry.number()));
        entriesOf(instance, others)
                .filter(entry -> entry.event() == Entry.Event.REFUSED)
                .forEach(entry -> open.remove(entry.number()));
        entriesOf(instance, orders).forEach(entry -> open.remove(entry.number()));
        return !open.isEmpty();
    }

    private static Stream<Entry> entriesOf(int instance, List<Books.Timed> entries) {
        return entries.stream().map(Books.Timed::entry).filter(entry -> entry.instance() == instance);
    }

    /** Waits until there are this many orders; {@code false} if they are not written in time. */
    boolean awaitOrders(long count) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (books.orders(way).size() < count) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            buyers.keepBusy();
            TimeUnit.MILLISECONDS.sleep(2);
        }
        return true;
    }
}
