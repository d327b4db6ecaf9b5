/**
 * Spring Integration's lock registry over a Holdfast client.
 *
 * <p>{@link io.holdfast.spring.integration.HoldfastLockRegistry} is for everything in Spring Integration that takes a
 * {@code LockRegistry}: a leader election, an aggregator, a resequencer, a file that is written by several nodes.
 *
 * <pre>{@code
 * @Configuration
 * @EnableIntegration
 * class Locks {
 *
 *     @Bean(destroyMethod = "close")
 *     Holdfast holdfast() {
 *         return Holdfast.connect("redis://localhost");
 *     }
 *
 *     @Bean
 *     HoldfastLockRegistry lockRegistry(Holdfast holdfast) {
 *         return new HoldfastLockRegistry(holdfast, "orders/");
 *     }
 *
 *     @Bean
 *     LockRegistryLeaderInitiator leaderInitiator(HoldfastLockRegistry lockRegistry) {
 *         return new LockRegistryLeaderInitiator(lockRegistry, new DefaultCandidate("node-1", "shipper"));
 *     }
 *
 *     @Bean
 *     @ServiceActivator(inputChannel = "parts")
 *     AggregatingMessageHandler aggregator(HoldfastLockRegistry lockRegistry, MessageGroupStore sharedStore) {
 *         AggregatingMessageHandler aggregator =
 *                 new AggregatingMessageHandler(new DefaultAggregatingMessageGroupProcessor(), sharedStore);
 *         aggregator.setLockRegistry(lockRegistry);
 *         aggregator.setOutputChannelName("orders");
 *         return aggregator;
 *     }
 * }
 * }</pre>
 *
 * <p>The lock of a key is a {@link io.holdfast.DistributedLock}, so code that uses it directly can send its fencing token:
 *
 * <pre>{@code
 * DistributedLock lock = lockRegistry.obtain("42");
 * lock.lock();
 * try {
 *     orders.ship(42, lock.fencingToken());
 * } finally {
 *     lock.unlock(); // throws LeaseLostException if the hold was lost
 * }
 * }</pre>
 */
@NullMarked
package io.holdfast.spring.integration;

import org.jspecify.annotations.NullMarked;
