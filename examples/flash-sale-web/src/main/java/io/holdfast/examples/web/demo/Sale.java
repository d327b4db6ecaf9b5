package io.holdfast.examples.web.demo;

import io.holdfast.examples.web.Books;
import io.holdfast.examples.web.Way;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One sale by two instances: one is paused between check and write, and later the other one is killed there. */
final class Sale {

    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration RETURN_LIMIT = Duration.ofSeconds(30);
    private static final Duration IDLE_LIMIT = Duration.ofMinutes(1);
    private static final int BEFORE_KILL = 10;

    private final Books books;
    private final Way way;
    private final Scale scale;

    Sale(Books books, Way way, Scale scale) {
        this.books = books;
        this.way = way;
        this.scale = scale;
    }

    /**
     * Runs the sale, and returns its figures.
     *
     * @param paused the instance that is paused
     * @param killed the instance that is killed
     */
    Row run(Instance paused, Instance killed) throws IOException, InterruptedException {
        List<URI> addresses = List.of(paused.awaitReady(), killed.awaitReady());
        try (ReverseProxy proxy = ReverseProxy.start(addresses, ReverseProxy.Limits.USUAL)) {
            warmUp(proxy);
            requireIdle(paused);
            requireIdle(killed);
            books.open(way, scale.stock());
            try (Buyers buyers = Buyers.start(
                    proxy.address(), way, scale.buyers(), scale.requests(), scale.undisturbed() + scale.buyers())) {
                Accidents accidents = new Accidents(books, way, buyers);
                accidents.awaitOrders(scale.undisturbed());
                boolean wasPaused = pause(paused, accidents, buyers);
                awaitReturn(proxy);
                accidents.awaitOrders(books.orders(way).size() + BEFORE_KILL);
                boolean wasKilled = kill(killed, accidents);
                buyers.allowAll();
                boolean finished = buyers.await(LIMIT) && paused.awaitIdle(IDLE_LIMIT);
                Row.Count count = new Row.Count(books.left(way), books.orders(way), books.others(way));
                Row.Happened happened = new Row.Happened(wasKilled ? 1 : 0, wasPaused ? 1 : 0, finished);
                return Row.of(way, scale, count, buyers.replies(), happened);
            }
        }
    }

    private void warmUp(ReverseProxy proxy) throws InterruptedException {
        books.open(way, scale.warmUp());
        try (Buyers buyers = Buyers.start(proxy.address(), way, scale.buyers(), scale.warmUp(), scale.warmUp())) {
            buyers.await(LIMIT);
        }
    }

    /** A purchase that began before the stock was replaced must not write to the new one. */
    private static void requireIdle(Instance instance) throws IOException, InterruptedException {
        if (!instance.awaitIdle(IDLE_LIMIT)) {
            throw new IllegalStateException("a purchase of instance " + instance.number() + " did not end within "
                    + IDLE_LIMIT.toSeconds() + " s: " + instance.output());
        }
    }

    private boolean pause(Instance instance, Accidents accidents, Buyers buyers)
            throws IOException, InterruptedException {
        Optional<Pause> pause = accidents.stopInside(instance);
        buyers.allow(scale.duringPause());
        if (pause.isPresent()) {
            TimeUnit.MILLISECONDS.sleep(Scale.PAUSE.toMillis());
            pause.get().end();
        }
        return pause.isPresent();
    }

    /** Waits until the proxy uses both instances again. If that takes too long, the sale goes on with one of them. */
    private static void awaitReturn(ReverseProxy proxy) throws InterruptedException {
        long end = System.nanoTime() + RETURN_LIMIT.toNanos();
        while (proxy.up() < 2 && System.nanoTime() - end < 0) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private static boolean kill(Instance instance, Accidents accidents) throws IOException, InterruptedException {
        Optional<Pause> stopped = accidents.stopInside(instance);
        instance.kill();
        if (stopped.isPresent()) {
            stopped.get().end();
        }
        return stopped.isPresent() && instance.wasKilled();
    }
}
