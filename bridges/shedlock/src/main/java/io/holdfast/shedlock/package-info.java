/**
 * The locks of ShedLock, kept by a Holdfast client.
 *
 * <p>{@link io.holdfast.shedlock.HoldfastLockProvider} is ShedLock's {@code LockProvider} on every store of Holdfast. Scheduled
 * methods stay as they are:
 *
 * <pre>{@code
 * @Configuration
 * @EnableScheduling
 * @EnableSchedulerLock(defaultLockAtMostFor = "10m")
 * class Scheduling {
 *
 *     @Bean(destroyMethod = "close")
 *     Holdfast holdfast() {
 *         return Holdfast.connect("redis://localhost");
 *     }
 *
 *     @Bean
 *     LockProvider lockProvider(Holdfast holdfast) {
 *         return new HoldfastLockProvider(holdfast, "jobs/");
 *     }
 * }
 *
 * @Component
 * class Invoices {
 *
 *     @Scheduled(cron = "0 0 3 * * *")
 *     @SchedulerLock(name = "invoices", lockAtMostFor = "30m", lockAtLeastFor = "5m")
 *     public void send() {
 *         orders.ship(42, HoldfastLockProvider.currentFencingToken()); // refuses a token lower than one it has seen
 *     }
 * }
 * }</pre>
 *
 * <p>Without Spring, {@code DefaultLockingTaskExecutor} of ShedLock runs a task under a lock of the provider, or the code
 * acquires the lock itself:
 *
 * <pre>{@code
 * HoldfastLockProvider provider = new HoldfastLockProvider(holdfast);
 * LockConfiguration once =
 *         new LockConfiguration(Instant.now(), "invoices", Duration.ofMinutes(30), Duration.ofMinutes(5));
 * provider.tryLock(once).ifPresent(lock -> {
 *     try {
 *         orders.ship(42, lock.fencingToken());
 *     } finally {
 *         lock.unlock();
 *     }
 * });
 * }</pre>
 */
@NullMarked
package io.holdfast.shedlock;

import org.jspecify.annotations.NullMarked;
