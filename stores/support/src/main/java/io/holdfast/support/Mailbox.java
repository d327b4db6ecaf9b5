package io.holdfast.support;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.spi.Platform;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages that one client of a store receives from its server and from other clients, over any channel that carries text.
 *
 * <p>The server's messages are:
 * <ul>
 *   <li>{@code F LOCK}: the lock is free;
 *   <li>{@code A TENURE UNIT UNITS WAITERS NEXT EXPIRES LOCK}: the lock was assigned. The kind is {@code AW} for a writer,
 *       {@code AR} for a reader, and {@code AP} for permits;
 *   <li>{@code W LOCK}: another client waits;
 *   <li>{@code R TENURE LOCK}: the lock was forcibly released;
 *   <li>{@code C LATCH}: a latch opened, was set again, or ended;
 *   <li>{@code G}: messages may be missing.
 * </ul>
 *
 * <p>The messages of clients are:
 * <ul>
 *   <li>{@code Q NUMBER ASKER LOCK}: an inquiry about the current hold;
 *   <li>{@code S NUMBER TENURE SINCE TOKEN OWNER}: the answer, with the call site in a last line.
 * </ul>
 *
 * <p>LOCK and LATCH are the name with the prefix of the client. TENURE is the number of one of the client's own tenures, except
 * in the answer, where it is the whole id. UNIT and UNITS are {@link TokenUnits}.
 */
public final class Mailbox {

    private static final Logger LOG = LoggerFactory.getLogger(Mailbox.class);

    private static final Map<String, Integer> PARTS = Map.ofEntries(
            Map.entry("F", 2),
            Map.entry("A", 8),
            Map.entry("AW", 8),
            Map.entry("AR", 8),
            Map.entry("AP", 8),
            Map.entry("C", 2),
            Map.entry("W", 2),
            Map.entry("R", 3),
            Map.entry("Q", 4),
            Map.entry("S", 6),
            Map.entry("G", 1));
    private static final long ANSWER_TIMEOUT_NANOS = 200_000_000;

    private final StoreConfig config;
    private final Platform.Timer timer;
    private final BiFunction<String, String, ? extends CompletionStage<Long>> post;
    private final AtomicLong lastInquiry = new AtomicLong();
    private final Map<String, CompletableFuture<HoldDescription>> pending = new ConcurrentHashMap<>();

    /**
     * Creates the mailbox of a client.
     *
     * @param post sends a text to the client with the given id, and returns the number of receivers
     */
    public Mailbox(
            StoreConfig config,
            Platform.Timer timer,
            BiFunction<String, String, ? extends CompletionStage<Long>> post) {
        this.config = config;
        this.timer = timer;
        this.post = post;
    }

    /**
     * Receives a message. An invalid or failing message is logged, and does not stop later messages.
     *
     * @param run the run of the server that sent it, as in {@link Signal.Assigned#run}
     */
    public void receive(String message, long run) {
        try {
            String kind = message.split(" ", 2)[0];
            read(message.split(" ", PARTS.getOrDefault(kind, 1)), run);
        } catch (RuntimeException e) {
            LOG.warn("Client {} cannot read the message {}", config.client().id(), quoted(message), e);
        }
    }

    private void read(String[] parts, long run) {
        switch (parts[0]) {
            case "F" -> deliver(new Signal.Freed(name(parts[1])));
            case "W" -> deliver(new Signal.Wanted(name(parts[1])));
            case "G" -> deliver(new Signal.Gap());
            case "R" -> deliver(new Signal.Revoked(name(parts[2]), ownTenure(parts[1])));
            case "A" -> deliver(assigned(parts, Mode.LOCK, run));
            case "AW" -> deliver(assigned(parts, Mode.WRITE, run));
            case "AR" -> deliver(assigned(parts, Mode.READ, run));
            case "AP" -> deliver(assigned(parts, Mode.PERMITS, run));
            case "C" -> deliver(new Signal.Changed(name(parts[1])));
            case "Q" -> answer(parts[1], parts[2], parts[3]);
            case "S" ->
                Optional.ofNullable(pending.get(parts[1])).ifPresent(answer -> answer.complete(description(parts)));
            default -> throw new IllegalArgumentException("its kind is unknown");
        }
    }

    /**
     * Returns the message of a signal to a client.
     *
     * @param lock the name with the prefix of the client
     */
    public static String message(Signal signal, String lock) {
        if (signal instanceof Signal.Freed) {
            return "F " + lock;
        } else if (signal instanceof Signal.Wanted) {
            return "W " + lock;
        } else if (signal instanceof Signal.Changed) {
            return "C " + lock;
        } else if (signal instanceof Signal.Revoked revoked) {
            return "R " + revoked.tenure().number() + " " + lock;
        } else if (signal instanceof Signal.Assigned assigned) {
            return kind(assigned.mode()) + " " + assigned.tenure().number() + " "
                    + TokenUnits.unit(assigned.tokens().first()) + " "
                    + TokenUnits.units(
                            assigned.tokens().last() - assigned.tokens().first() + 1) + " " + assigned.foreignWaiters()
                    + " "
                    + assigned.next() + " " + assigned.expiresMicros() + " " + lock;
        }
        throw new IllegalArgumentException("no message for " + signal);
    }

    private static String kind(Mode mode) {
        return switch (mode) {
            case LOCK -> "A";
            case WRITE -> "AW";
            case READ -> "AR";
            case PERMITS -> "AP";
        };
    }

    private void deliver(Signal signal) {
        config.signals().accept(signal);
    }

    private String name(String lock) {
        return lock.substring(config.keyPrefix().length());
    }

    private TenureId ownTenure(String number) {
        return new TenureId(config.client().id(), Long.parseLong(number));
    }

    private Signal assigned(String[] parts, Mode mode, long run) {
        return new Signal.Assigned(
                name(parts[7]),
                ownTenure(parts[1]),
                mode,
                TokenUnits.tokens(Long.parseLong(parts[2]), Long.parseLong(parts[3])),
                Integer.parseInt(parts[4]),
                Long.parseLong(parts[5]),
                Long.parseLong(parts[6]),
                run);
    }

    private void answer(String number, String requester, String lock) {
        config.describer().apply(name(lock)).ifPresent(hold -> {
            String text = hold.tenure() + " " + hold.since() + " " + hold.token() + " " + hold.owner() + "\n"
                    + hold.place().orElse("");
            var unused = post.apply(requester, "S " + number + " " + text);
        });
    }

    private static HoldDescription description(String[] parts) {
        int end = parts[5].lastIndexOf('\n');
        return new HoldDescription(
                TenureId.parse(parts[2]),
                parts[5].substring(0, end),
                Instant.parse(parts[3]),
                Long.parseLong(parts[4]),
                Optional.of(parts[5].substring(end + 1)).filter(place -> !place.isEmpty()));
    }

    /**
     * Asks the client of a holder for the details that only this client knows. The result is empty if the client does not answer
     * within 200 ms, or has another tenure by then.
     */
    public CompletionStage<Optional<HoldDescription>> describe(TenureId holder, String name) {
        String number = Long.toString(lastInquiry.incrementAndGet());
        CompletableFuture<HoldDescription> answer = new CompletableFuture<>();
        pending.put(number, answer);
        Platform.Task timeout = timer.schedule(ANSWER_TIMEOUT_NANOS, () -> answer.cancel(false));
        String inquiry = "Q " + number + " " + config.client().id() + " " + config.keyPrefix() + name;
        var unused = CompletableFuture.completedStage(holder.clientId())
                .thenCompose(to -> post.apply(to, inquiry))
                .whenComplete((receivers, error) -> {
                    if (error != null || receivers == 0) {
                        answer.cancel(false);
                    }
                });
        return answer.handle((hold, error) -> {
            pending.remove(number);
            timeout.cancel();
            return Optional.ofNullable(hold)
                    .filter(description -> description.tenure().equals(holder));
        });
    }
}
