package io.holdfast.redisson.api;

import static io.holdfast.redisson.api.Contract.name;
import static io.holdfast.redisson.api.Contract.result;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.api.LockOptions;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RFencedLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.api.options.CommonOptions;

/** The Redisson client of the bridge, alone and over another client. */
@Tag("everywhere")
class ClientTest {

    private final String store = "memory:" + name();
    private final Holdfast holdfast = Holdfast.connect(store);
    private final List<String> passedOn = new ArrayList<>();
    private final RedissonClient rest = (RedissonClient) Proxy.newProxyInstance(
            RedissonClient.class.getClassLoader(),
            new Class<?>[] {RedissonClient.class},
            (proxy, method, arguments) -> passedOn(method));

    private Object passedOn(Method method) {
        passedOn.add(method.getName());
        if (method.getName().equals("getMap")) {
            throw new IllegalStateException("the exception of the other client");
        }
        return method.getName().equals("getId") ? "the id of the other client" : null;
    }

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void aMethodThatIsNotAboutLocksIsRefused() {
        RedissonClient client = RedissonLocks.client(holdfast);
        assertThatThrownBy(() -> client.getMap("map"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("RedissonClient.getMap(String)")
                .hasMessageContaining("RedissonLocks.client(holdfast, redisson)");
    }

    @Test
    void everyOtherMethodIsRefusedByName() {
        RedissonClient client = RedissonLocks.client(holdfast);
        Set<String> supported = Stream.of(RedissonLocks.class, Lifecycle.class)
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .map(Method::getName)
                .collect(Collectors.toSet());
        List<Method> others = Arrays.stream(RedissonClient.class.getMethods())
                .filter(method -> !supported.contains(method.getName()))
                .toList();
        assertThat(others)
                .hasSizeGreaterThan(100)
                .allSatisfy(method -> assertThatThrownBy(
                                () -> Dispatcher.call(client, method, new Object[method.getParameterCount()]))
                        .isInstanceOf(UnsupportedOperationException.class)
                        .hasMessageContaining("." + method.getName() + "("));
    }

    @Test
    void otherMethodsArePassedOn() {
        RedissonClient client = RedissonLocks.client(holdfast, rest);
        assertThat(client.getKeys()).isNull();
        assertThat(client.getId()).isEqualTo("the id of the other client");
        assertThatThrownBy(() -> client.getMap("map"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the exception of the other client");
        assertThat(passedOn).containsExactly("getKeys", "getId", "getMap");
    }

    @Test
    @SuppressWarnings("deprecation")
    void locksAreNeverThoseOfTheOtherClient() {
        RedissonClient client = RedissonLocks.client(holdfast, rest);
        client.getLock("lock").lock();
        assertThat(holdfast.lock("lock").isHeldByCurrentThread()).isTrue();
        assertThatThrownBy(() -> client.getLock(CommonOptions.name("lock")))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("getLock(CommonOptions)");
        assertThatThrownBy(() -> client.getSpinLock("lock", new LockOptions.ConstantBackOff()))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContainingAll("getSpinLock(String, BackOff)", "use the method that takes a name");
        assertThatThrownBy(() -> client.getMultiLock("group", List.of("value")))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> client.getRedLock(client.getLock("lock")))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("QuorumLock");
        assertThat(passedOn).isEmpty();
    }

    @Test
    void shutdownClosesBothClients() {
        RedissonClient client = RedissonLocks.client(holdfast, rest);
        client.getLock("lock").lock();
        assertThat(client.isShutdown()).isFalse();
        client.shutdown();
        assertThat(client.isShutdown() && client.isShuttingDown()).isTrue();
        assertThat(passedOn).containsExactly("shutdown");
        assertThatThrownBy(() -> client.getLock("lock")).isInstanceOf(IllegalStateException.class);
        try (Holdfast other = Holdfast.connect(store)) {
            assertThat(other.lock("lock").isLocked()).isFalse();
        }
    }

    @Test
    void shutdownIsAlsoAsynchronousOrTimed() throws Exception {
        RedissonClient client = RedissonLocks.client(holdfast);
        assertThat(client.getId()).isEqualTo(holdfast.clientId());
        result(client.shutdownAsync().toCompletableFuture());
        assertThat(client.isShutdown()).isTrue();
        RedissonClient both = RedissonLocks.client(holdfast, rest);
        both.shutdown(0, 1, SECONDS);
        result(both.shutdownAsync(Duration.ZERO, Duration.ofSeconds(1)).toCompletableFuture());
        assertThat(passedOn).containsExactly("shutdown", "shutdown");
    }

    @Test
    void objectsCanBeComparedAndPrinted() {
        RedissonLocks locks = RedissonLocks.of(holdfast);
        var lock = locks.getLock("orders/42");
        assertThat(lock).hasToString("lock 'orders/42'").isEqualTo(lock).isNotEqualTo(locks.getLock("orders/42"));
        assertThat(Set.of(lock)).contains(lock);
        assertThat(locks.getReadWriteLock("orders/42")).hasToString("read/write lock 'orders/42'");
    }

    /** A method with a slightly different signature would never be called. */
    @Test
    void eachMethodOfATargetImplementsOneOfRedisson() {
        assertImplements(RFencedLock.class, LockCalls.class, AsyncLockCalls.class, FencedCalls.class);
        assertImplements(RReadWriteLock.class, ReadWriteCalls.class);
        assertImplements(RFencedLock.class, MultiLockCalls.class);
        assertImplements(RSemaphore.class, SemaphoreCalls.class);
        assertImplements(RPermitExpirableSemaphore.class, PermitCalls.class);
        assertImplements(RCountDownLatch.class, LatchCalls.class);
        assertImplements(RedissonClient.class, Lifecycle.class, RedissonLocks.class);
    }

    private static void assertImplements(Class<?> type, Class<?>... targets) {
        Set<String> methods = signatures(type);
        for (Class<?> target : targets) {
            Set<String> own = signatures(target);
            own.remove("toString[]");
            assertThat(own).as(target.getSimpleName()).isNotEmpty().isSubsetOf(methods);
        }
    }

    private static Set<String> signatures(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getDeclaringClass() != Object.class)
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .map(method -> method.getName() + Arrays.toString(method.getParameterTypes()))
                .collect(Collectors.toSet());
    }
}
