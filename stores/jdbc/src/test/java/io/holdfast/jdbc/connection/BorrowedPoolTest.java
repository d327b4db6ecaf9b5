package io.holdfast.jdbc.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.jdbc.LoadedDrivers;
import io.holdfast.jdbc.TellingPool;
import io.holdfast.jdbc.Views;
import io.holdfast.jdbc.sql.H2;
import io.holdfast.jdbc.sql.Tables;
import io.holdfast.testkit.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connections that are borrowed from an application which may have none left. */
@Timeout(120)
@ExtendWith(LoadedDrivers.class)
class BorrowedPoolTest {

    private static final long PATIENT_MILLIS = 20_000;
    private static final long BRIEF_MILLIS = 300;

    private final List<Connection> lent = new CopyOnWriteArrayList<>();
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger available = new AtomicInteger(100);
    private final AtomicLong now = new AtomicLong();
    /** If it is set, the next connection that is returned waits for the permission. */
    private final AtomicBoolean holdsReturn = new AtomicBoolean();

    /** If it is set, the application waits for the permission before it lends a connection. */
    private final AtomicBoolean holdsLoan = new AtomicBoolean();

    private final CountDownLatch permission = new CountDownLatch(1);
    private final Opener opener = new Opener(Opener.daemons("borrowed-opener"), 5_000, () -> "");
    private final Source source = new Source(this::lend, new H2(Tables.DEFAULT), 2_000, opener);
    private final List<BorrowedPool> pools = new ArrayList<>();
    private final BorrowedPool pool = pool(PATIENT_MILLIS, new TellingPool());

    private BorrowedPool pool(long timeoutMillis, DataSource application) {
        BorrowedPool made = new BorrowedPool(
                source, new ApplicationPool(application), Opener.daemons("borrowed"), timeoutMillis, now::get);
        pools.add(made);
        return made;
    }

    private Connection lend() throws SQLException {
        attempts.incrementAndGet();
        if (available.get() <= openConnections()) {
            throw new SQLTransientConnectionException("all are in use");
        }
        if (holdsLoan.get()) {
            awaitPermission();
        }
        Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
        lent.add(connection);
        return Views.of(connection, (method, arguments, real) -> {
            if (method.equals("close") && holdsReturn.compareAndSet(true, false)) {
                awaitPermission();
            }
            return real.run();
        });
    }

    private void awaitPermission() {
        try {
            assertThat(permission.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isClosed(Connection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private long openConnections() {
        return lent.stream().filter(each -> !isClosed(each)).count();
    }

    @AfterEach
    void close() {
        pools.forEach(BorrowedPool::close);
        source.closeConnections(Runnable::run).join();
        opener.close();
    }

    /** Lets time pass, and lets the pool do what is then due. */
    private void pass(long seconds) {
        now.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
        pool.keep();
    }

    private void use(int count) throws SQLException {
        List<Connection> used = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            used.add(pool.get());
        }
        used.forEach(each -> pool.release(each, false));
    }

    @Test
    void keepsAnOldConnectionUntilItsSuccessorIsThere() throws Exception {
        available.set(1);
        use(1);
        for (int i = 0; i < 3; i++) {
            int before = attempts.get();
            pass(301);
            Await.until("a successor was asked for", () -> attempts.get() > before);
            use(1);
        }
        assertThat(lent).hasSize(1).noneMatch(BorrowedPoolTest::isClosed);
        available.set(2);
        Await.until("the successor is there", () -> {
            pool.keep();
            return lent.size() == 2 && isClosed(lent.get(0));
        });
        use(1);
        assertThat(lent).hasSize(2);
        assertThat(isClosed(lent.get(1))).isFalse();
    }

    /** A pool that an application keeps full may let a borrower wait, instead of failing. */
    @Test
    void usesAnOldConnectionWhileItsSuccessorIsAwaited() throws Exception {
        opener.limit(PATIENT_MILLIS);
        use(1);
        holdsLoan.set(true);
        pass(301);
        Await.until("a successor was asked for", () -> attempts.get() == 2);
        for (int i = 0; i < 3; i++) {
            pass(301);
            use(1);
        }
        assertThat(attempts).hasValue(2);
        assertThat(lent).hasSize(1).noneMatch(BorrowedPoolTest::isClosed);
        permission.countDown();
        Await.until("the successor is there", () -> {
            pool.keep();
            return isClosed(lent.get(0));
        });
        assertThat(lent).hasSize(2);
        assertThat(isClosed(lent.get(1))).isFalse();
    }

    @Test
    void replacesAnOldConnectionThatIsInUse() throws Exception {
        Connection old = pool.get();
        pass(301);
        Await.until("the successor is there", () -> lent.size() == 2);
        assertThat(isClosed(lent.get(0))).as("it is closed while it is in use").isFalse();
        pool.release(old, false);
        Await.until("the old one is returned", () -> {
            pool.keep();
            return isClosed(lent.get(0));
        });
        assertThat(isClosed(lent.get(1))).isFalse();
    }

    @Test
    void returnsThoseThatAreNotUsedExceptOne() throws Exception {
        use(4);
        assertThat(openConnections()).isEqualTo(4);
        pass(11);
        assertThat(openConnections()).isEqualTo(1);
        pass(200);
        assertThat(openConnections()).isEqualTo(1);
    }

    @Test
    void lendsAtMostFive() throws Exception {
        List<Connection> used = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            used.add(pool.get());
        }
        CompletableFuture<Connection> next = CompletableFuture.supplyAsync(() -> get(pool));
        pass(1);
        pool.release(used.get(2), false);
        assertThat(next.get(20, TimeUnit.SECONDS)).isSameAs(used.get(2));
        assertThat(lent).hasSize(5);
    }

    private static Connection get(BorrowedPool pool) {
        try {
            return pool.get();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void tellsWhyTheApplicationHasLentNone() throws Exception {
        available.set(0);
        BorrowedPool brief = pool(BRIEF_MILLIS, new TellingPool.Dbcp(2));
        AtomicReference<Throwable> none = new AtomicReference<>();
        // race: the application may answer later than the pool waits
        Await.until("the application has answered", () -> {
            attempts.set(0);
            none.set(catchThrowable(brief::get));
            return none.get().getMessage().endsWith(": all are in use");
        });
        assertThat(none.get())
                .hasMessage("no connection within 300 ms from the DataSource; the application's pool is full"
                        + " (2 of 2 connections are in use): all are in use");
        assertThat(attempts.get()).as("attempts, with a pause between them").isLessThan(10);
        available.set(1);
        use(1);
    }

    @Test
    void replacesABrokenConnection() throws Exception {
        Connection broken = pool.get();
        pool.release(broken, true);
        assertThat(isClosed(lent.get(0))).isTrue();
        Connection next = pool.get();
        assertThat(next).isNotSameAs(broken);
        pool.release(next, false);
        next.close();
        pass(1);
        use(1);
        assertThat(lent).hasSize(3);
    }

    @Test
    void returnsTheOthersIfTheReturnOfOneHangs() throws Exception {
        use(3);
        holdsReturn.set(true);
        Thread closer = new Thread(pool::close);
        closer.start();
        Await.until("the others are returned", () -> openConnections() == 1);
        permission.countDown();
        closer.join();
        Await.until("the last is returned", () -> openConnections() == 0);
    }

    @Test
    void awaitsReturnsAtItsClose() throws Exception {
        Connection used = pool.get();
        holdsReturn.set(true);
        Thread user = new Thread(() -> pool.release(used, true));
        user.start();
        Await.until("the return has begun", () -> !holdsReturn.get());
        Thread closer = new Thread(pool::close);
        closer.start();
        Await.until("the close waits", () -> closer.getState() == Thread.State.TIMED_WAITING);
        permission.countDown();
        closer.join();
        assertThat(openConnections()).isZero();
    }

    @Test
    void returnsAConnectionThatIsLentAfterItsClose() throws Exception {
        holdsLoan.set(true);
        CompletableFuture<Connection> none = CompletableFuture.supplyAsync(() -> get(pool));
        Await.until("the application is asked", () -> attempts.get() == 1);
        pool.close();
        permission.countDown();
        Await.until("it is lent", () -> !lent.isEmpty());
        Await.until("it is returned", () -> openConnections() == 0);
        assertThat(catchThrowable(() -> none.get(20, TimeUnit.SECONDS))).isInstanceOf(ExecutionException.class);
    }

    @Test
    void wakesAWaiterAlthoughTheReturnOfABrokenConnectionHangs() throws Exception {
        List<Connection> used = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            used.add(pool.get());
        }
        CompletableFuture<Connection> next = new CompletableFuture<>();
        Thread waiter = new Thread(() -> next.complete(get(pool)));
        waiter.start();
        Await.until("it waits", () -> waiter.getState() == Thread.State.TIMED_WAITING);
        holdsReturn.set(true);
        Thread user = new Thread(() -> pool.release(used.get(0), true));
        user.start();
        try {
            pool.release(next.get(10, TimeUnit.SECONDS), false);
        } finally {
            permission.countDown();
            user.join();
        }
        used.stream().skip(1).forEach(each -> pool.release(each, false));
    }

    @Test
    void endsTheWaitWithThePool() throws Exception {
        available.set(0);
        Thread closer = new Thread(pool::close);
        closer.start();
        assertThatThrownBy(pool::get).isInstanceOf(SQLException.class);
        closer.join();
        assertThatThrownBy(pool::get).hasMessage("the client is closed");
    }
}
