package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import io.holdfast.spring.aop.HoldfastAdvisors;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.util.ClassUtils;

/**
 * Lets each client be destroyed after the beans that may still use it: executors and schedulers, which may wait for their tasks when
 * they are destroyed, and beans with annotated methods. This does not happen if the start of the application fails.
 *
 * <p>Spring destroys a bean after those that depend on it. So these beans become dependent on the clients, except for what a client
 * itself depends on, such as an executor of its connection pool. What exists, and what depends on what, is complete only when the
 * application ends. So this is done then: after all other beans have stopped, and before the first one is destroyed.
 */
final class ShutdownOrder implements SmartLifecycle {

    /** It waits for its jobs as a scheduler of Spring does. An application may not have the class. */
    private static final String QUARTZ = "org.quartz.Scheduler";

    private final ConfigurableListableBeanFactory beans;
    private volatile boolean running;

    ShutdownOrder(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        List<String> clients = names(Holdfast.class).toList();
        Set<String> below = below(clients);
        users().filter(user -> !below.contains(user))
                .forEach(user -> clients.forEach(client -> beans.registerDependentBean(client, user)));
    }

    private Stream<String> users() {
        Stream<String> annotated =
                Stream.of(beans.getSingletonNames()).filter(name -> HoldfastAdvisors.applyTo(beans.getSingleton(name)));
        return Stream.of(names(Executor.class), names(TaskScheduler.class), quartz(), annotated)
                .flatMap(each -> each);
    }

    private Stream<String> quartz() {
        ClassLoader loader = ShutdownOrder.class.getClassLoader();
        return ClassUtils.isPresent(QUARTZ, loader)
                ? names(ClassUtils.resolveClassName(QUARTZ, loader))
                : Stream.empty();
    }

    /** Returns the clients, and all on which they depend. */
    private Set<String> below(List<String> clients) {
        Deque<String> left = new ArrayDeque<>(clients);
        Set<String> found = new HashSet<>();
        while (!left.isEmpty()) {
            String next = left.remove();
            if (found.add(next)) {
                left.addAll(List.of(beans.getDependenciesForBean(next)));
            }
        }
        return found;
    }

    private Stream<String> names(Class<?> type) {
        return Stream.of(beans.getBeanNamesForType(type, true, false));
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** The last phase to stop. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
