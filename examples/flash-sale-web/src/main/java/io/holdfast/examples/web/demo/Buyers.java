package io.holdfast.examples.web.demo;

import io.holdfast.examples.web.Paths;
import io.holdfast.examples.web.Way;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Concurrent buyers, who send a fixed number of requests. After a failure, a buyer pauses for a moment. */
final class Buyers implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(8);
    private static final Duration AFTER_FAILURE = Duration.ofMillis(250);

    private static final int BATCH = 40;

    private static final int SOLD = 200;
    private static final int SOLD_OUT = 409;
    private static final int NO_ANSWER = 0;

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(LIMIT)
            .build();
    private final HttpRequest request;
    private final int requests;
    private final AtomicInteger taken = new AtomicInteger();
    private final Semaphore allowed;
    private final Collection<Reply> replies = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();

    private Buyers(URI shop, Way way, int requests, int allowed) {
        this.request = HttpRequest.newBuilder(shop.resolve(Paths.DEDUCT_STOCK + "/" + way.label()))
                .POST(HttpRequest.BodyPublishers.noBody())
                .timeout(LIMIT)
                .build();
        this.requests = requests;
        this.allowed = new Semaphore(allowed);
    }

    /**
     * A reply to a buyer.
     *
     * @param status the status, or 0 if there was no answer
     * @param micros the time of the request
     */
    record Reply(int status, long micros) {

        boolean isSold() {
            return status == SOLD;
        }

        boolean isFailure() {
            return status != SOLD && status != SOLD_OUT;
        }
    }

    /**
     * Starts buyers.
     *
     * @param requests the number of all requests
     * @param allowed the number of requests that are sent before more are allowed
     */
    static Buyers start(URI shop, Way way, int buyers, int requests, int allowed) {
        Buyers all = new Buyers(shop, way, requests, allowed);
        for (int i = 0; i < buyers; i++) {
            Thread thread = new Thread(all::buy, "buyer-" + i);
            thread.setDaemon(true);
            all.threads.add(thread);
            thread.start();
        }
        return all;
    }

    private void buy() {
        try {
            for (int next = taken.getAndIncrement(); next < requests; next = taken.getAndIncrement()) {
                allowed.acquire();
                Reply reply = send();
                replies.add(reply);
                if (reply.isFailure()) {
                    TimeUnit.MILLISECONDS.sleep(AFTER_FAILURE.toMillis());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the buyers are being stopped
        }
    }

    private Reply send() throws InterruptedException {
        long begin = System.nanoTime();
        int status;
        try {
            status =
                    client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            status = NO_ANSWER;
        }
        return new Reply(status, TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begin));
    }

    /** Allows some more requests. */
    void allow(int more) {
        allowed.release(more);
    }

    /** Allows some more requests if all allowed ones were sent, so that an accident meets a purchase in any case. */
    void keepBusy() {
        if (allowed.availablePermits() == 0) {
            allow(BATCH);
        }
    }

    /** Allows all requests. */
    void allowAll() {
        allow(requests);
    }

    /** Waits until all requests were sent and answered; {@code false} if they were not in time. */
    boolean await(Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        for (Thread thread : threads) {
            TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, end - System.nanoTime()));
        }
        return threads.stream().noneMatch(Thread::isAlive);
    }

    List<Reply> replies() {
        return List.copyOf(replies);
    }

    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
    }
}
