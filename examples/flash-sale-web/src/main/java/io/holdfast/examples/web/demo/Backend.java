package io.holdfast.examples.web.demo;

import io.holdfast.examples.web.Paths;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One instance, from the point of view of the proxy. While it does not answer probes, it is down: it gets no requests, and the
 * requests that it has not answered end with {@link Answer#BAD_GATEWAY}.
 */
final class Backend {

    private static final int OK = 200;

    private final URI address;
    private final HttpClient client;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, CompletableFuture<Answer>> pending = new ConcurrentHashMap<>();
    private volatile boolean up = true;

    Backend(URI address, HttpClient client) {
        this.address = address;
        this.client = client;
    }

    boolean isUp() {
        return up;
    }

    /** Sends a request. The result completes exceptionally if the instance did not get the request, or did not answer it. */
    CompletableFuture<Answer> send(String method, String path, Duration limit) {
        HttpRequest request = request(method, path, limit);
        CompletableFuture<Answer> sent = client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(response -> new Answer(response.statusCode(), response.body()));
        CompletableFuture<Answer> answer = sent.copy();
        long number = numbers.incrementAndGet();
        pending.put(number, answer);
        var unused = answer.whenComplete((result, failure) -> pending.remove(number));
        return answer;
    }

    private HttpRequest request(String method, String path, Duration limit) {
        return HttpRequest.newBuilder(address.resolve(path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(limit)
                .build();
    }

    /** Asks whether the instance serves requests, and waits for the answer. */
    void probe(Duration limit) throws InterruptedException {
        try {
            HttpResponse<Void> response =
                    client.send(request("GET", Paths.PING, limit), HttpResponse.BodyHandlers.discarding());
            up = response.statusCode() == OK;
        } catch (IOException e) {
            up = false;
        }
        if (!up) {
            abort();
        }
    }

    /**
     * Takes note that the instance refused a connection. The next probe decides again. Other requests do not end here: the
     * instance may refuse them as well, and then they go to the other instance.
     */
    void refused() {
        up = false;
    }

    private void abort() {
        pending.values().forEach(answer -> answer.complete(Answer.BAD_GATEWAY));
    }
}
