package io.holdfast.examples.flashsale;

import io.lettuce.core.RedisClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * A process that sells with some threads until the stock is gone.
 *
 * <p>It reads the job and then {@link #GO} from its standard input. The end of its input means that the parent process has
 * ended.
 */
public final class Worker {

    /** The line that is printed when all sellers wait for the start. */
    public static final String READY = "ready";

    /** The line that starts the sale. */
    public static final String GO = "go";

    /** The exit code of a worker that was halted between check and write. */
    public static final int HALTED = 86;

    private static final int ORPHANED = 87;
    private static final int PRACTICE = 200;

    private final Job job;
    private final CountDownLatch go = new CountDownLatch(1);

    private Worker(Job job) {
        this.job = job;
    }

    /** Runs the worker. The exit code is 0 when the stock is sold out. */
    public static void main(String[] args) {
        System.exit(run());
    }

    private static int run() {
        try {
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            Worker worker = new Worker(Job.readFrom(in));
            worker.watch(in);
            worker.sell();
            return 0;
        } catch (InterruptedException | ExecutionException | IOException | RuntimeException e) {
            e.printStackTrace();
            return 1;
        }
    }

    private void watch(BufferedReader in) {
        Thread watcher = new Thread(() -> obey(in), "parent-watcher");
        watcher.setDaemon(true);
        watcher.start();
    }

    private void obey(BufferedReader in) {
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals(GO)) {
                    go.countDown();
                }
            }
        } catch (IOException e) {
            System.err.println("cannot read the input of the parent: " + e);
        }
        Runtime.getRuntime().halt(ORPHANED);
    }

    private void sell() throws InterruptedException, ExecutionException {
        practise();
        sell(job, this::awaitStart);
    }

    private void awaitStart() throws InterruptedException {
        System.out.println(READY);
        go.await();
    }

    /** Warms the code up, so that a sale does not measure class loading. */
    private void practise() throws InterruptedException, ExecutionException {
        Job practice = job.practice();
        Books books = Books.open(job.stockStore(), practice.sale(), PRACTICE, job.strategy());
        try {
            sell(practice, () -> {});
        } finally {
            books.close();
        }
    }

    private static void sell(Job job, Start start) throws InterruptedException, ExecutionException {
        RedisClient redis = RedisClient.create(job.stockStore());
        ExecutorService threads = Executors.newFixedThreadPool(job.threads());
        try (Strategy strategy = job.strategy().open(job)) {
            List<Service> sellers = sellers(job, strategy, redis);
            start.await();
            for (Future<Void> end : threads.invokeAll(sellers)) {
                end.get();
            }
        } finally {
            threads.shutdown();
            redis.shutdown();
        }
    }

    private static List<Service> sellers(Job job, Strategy strategy, RedisClient redis) {
        Fate fate = new Fate(job);
        return IntStream.range(0, job.threads())
                .mapToObj(i -> new Shop(redis, new Keys(job.sale()), new Seller(job.process(), i)))
                .map(shop -> new Service(strategy, shop, new Sale(shop, fate)))
                .toList();
    }

    /** The start signal for all sellers. */
    private interface Start {
        void await() throws InterruptedException;
    }

    /** Sells to one buyer after the other. Buyers never run out. */
    private record Service(Strategy strategy, Shop shop, Sale sale) implements Callable<Void> {

        @Override
        public Void call() throws InterruptedException {
            long start = System.nanoTime();
            while (strategy.sell(sale)) {
                long end = System.nanoTime();
                shop.took((end - start) / 1_000);
                start = end;
            }
            return null;
        }
    }
}
