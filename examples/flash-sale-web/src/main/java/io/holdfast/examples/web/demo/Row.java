package io.holdfast.examples.web.demo;

import io.holdfast.examples.report.Percentiles;
import io.holdfast.examples.web.Books;
import io.holdfast.examples.web.Entry;
import io.holdfast.examples.web.Way;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The figures of one sale, counted in the store.
 *
 * @param way the way that kept purchases apart
 * @param orders the orders in the store
 * @param left the stock in the store
 * @param oversold the orders for items that were not there
 * @param lostUpdates the orders that the stock does not show
 * @param stale the orders that were written after an order with a higher fencing token for the same shelf
 * @param refused the writes that were refused because of an old token
 * @param accidents the accidents that happened between check and write
 * @param unanswered the orders whose buyers were not told that they bought something
 * @param stalledMillis the longest time without an order, by the server's clock
 * @param perSecond the orders per second before the first accident, by the server's clock
 * @param p50Micros the time that half of the successful requests did not exceed
 * @param p99Micros the time that 99 of 100 successful requests did not exceed
 * @param exact true if each item was sold once, the stock shows it, and no write was stale
 */
record Row(
        Way way,
        long orders,
        long left,
        long oversold,
        long lostUpdates,
        long stale,
        long refused,
        Happened accidents,
        long unanswered,
        long stalledMillis,
        double perSecond,
        long p50Micros,
        long p99Micros,
        boolean exact) {

    /**
     * The accidents that happened, and the end of the sale.
     *
     * @param killed the number of instances that were killed between check and write
     * @param paused the number of instances that were paused between check and write for longer than a lease
     * @param finished true if all requests ended in time
     */
    record Happened(int killed, int paused, boolean finished) {}

    /**
     * The results in the store after a sale.
     *
     * @param left the stock that is left
     * @param orders the orders
     * @param others the other entries in the journal
     */
    record Count(long left, List<Books.Timed> orders, List<Books.Timed> others) {}

    static Row of(Way way, Scale scale, Count count, List<Buyers.Reply> replies, Happened happened) {
        long orders = count.orders().size();
        long oversold = Math.max(0, orders - scale.stock());
        long lostUpdates = orders - (scale.stock() - count.left());
        long stale = stale(count.orders());
        long[] micros = replies.stream()
                .filter(Buyers.Reply::isSold)
                .mapToLong(Buyers.Reply::micros)
                .toArray();
        Percentiles took = new Percentiles(micros);
        return new Row(
                way,
                orders,
                count.left(),
                oversold,
                lostUpdates,
                stale,
                refused(count.others()),
                happened,
                Math.max(0, orders - micros.length),
                longestGap(count.orders()),
                perSecond(count.orders(), scale.undisturbed()),
                took.at(50),
                took.at(99),
                orders == scale.stock() && count.left() == 0 && lostUpdates == 0 && stale == 0);
    }

    /** Counts the writes that came after one with a higher token for the same shelf. Ways without tokens have none. */
    static long stale(List<Books.Timed> orders) {
        Map<Integer, Long> highest = new HashMap<>();
        long stale = 0;
        for (Books.Timed order : orders) {
            Entry entry = order.entry();
            if (entry.token() < highest.getOrDefault(entry.shelf(), 0L)) {
                stale++;
            }
            highest.merge(entry.shelf(), entry.token(), Math::max);
        }
        return stale;
    }

    private static long refused(List<Books.Timed> others) {
        return others.stream()
                .filter(other -> other.entry().event() == Entry.Event.REFUSED)
                .count();
    }

    private static long longestGap(List<Books.Timed> orders) {
        long longest = 0;
        for (int i = 1; i < orders.size(); i++) {
            longest =
                    Math.max(longest, orders.get(i).millis() - orders.get(i - 1).millis());
        }
        return longest;
    }

    private static double perSecond(List<Books.Timed> orders, int first) {
        int last = Math.min(first, orders.size()) - 1;
        long millis = last <= 0 ? 0 : orders.get(last).millis() - orders.get(0).millis();
        return millis <= 0 ? 0 : last * 1_000.0 / millis;
    }

    /**
     * Returns {@code true} if the way kept its promise although both accidents happened. Ways without a promise pass in any
     * case.
     */
    boolean asExpected() {
        return accidents.finished()
                && (!way.promisesExact() || (exact && accidents.killed() == 1 && accidents.paused() == 1));
    }
}
