package io.holdfast.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.aggregator.AggregatingMessageHandler;
import org.springframework.integration.aggregator.DefaultAggregatingMessageGroupProcessor;
import org.springframework.integration.aggregator.MessageCountReleaseStrategy;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.store.MessageGroup;
import org.springframework.integration.store.SimpleMessageStore;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.messaging.Message;

/** An aggregator on two nodes that share the store of their groups: each group leaves once, and complete. */
@Timeout(180)
class AggregatorTest extends RedisRules {

    private static final int GROUPS = 5;
    private static final int SIZE = 8;

    @Configuration
    @EnableIntegration
    static class Infrastructure {}

    /** A store that takes a moment to read a group, as one at a server does, and notices two readers of one group. */
    private static final class SlowStore extends SimpleMessageStore {

        private final Set<Object> reading = ConcurrentHashMap.newKeySet();
        private final AtomicInteger overlaps = new AtomicInteger();

        @Override
        public MessageGroup getMessageGroup(Object groupId) {
            if (!reading.add(groupId)) {
                overlaps.incrementAndGet();
            }
            try {
                Thread.sleep(5);
                return super.getMessageGroup(groupId);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            } finally {
                reading.remove(groupId);
            }
        }
    }

    @Test
    void messagesOfSeveralThreadsOnTwoNodesMakeOneCompleteGroup() throws Exception {
        QueueChannel output = new QueueChannel();
        SlowStore groups = new SlowStore();
        groups.setCopyOnGet(true);
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(Infrastructure.class)) {
            List<AggregatingMessageHandler> nodes =
                    List.of(aggregator(context, here, groups, output), aggregator(context, there, groups, output));
            sendAll(nodes);
        }
        assertThat(groups.overlaps).hasValue(0);
        List<List<Integer>> released = new ArrayList<>();
        for (Message<?> message = output.receive(0); message != null; message = output.receive(0)) {
            released.add(((Collection<?>) message.getPayload())
                    .stream().map(Integer.class::cast).sorted().toList());
        }
        assertThat(released)
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, GROUPS)
                        .mapToObj(group -> IntStream.range(0, SIZE)
                                .mapToObj(i -> group * SIZE + i)
                                .toList())
                        .toList());
    }

    private static AggregatingMessageHandler aggregator(
            AnnotationConfigApplicationContext context,
            HoldfastLockRegistry registry,
            SimpleMessageStore groups,
            QueueChannel output) {
        AggregatingMessageHandler aggregator =
                new AggregatingMessageHandler(new DefaultAggregatingMessageGroupProcessor(), groups);
        aggregator.setLockRegistry(registry);
        aggregator.setReleaseStrategy(new MessageCountReleaseStrategy(SIZE));
        aggregator.setOutputChannel(output);
        aggregator.setExpireGroupsUponCompletion(false);
        aggregator.setBeanFactory(context.getBeanFactory());
        aggregator.afterPropertiesSet();
        aggregator.start();
        return aggregator;
    }

    private static void sendAll(List<AggregatingMessageHandler> nodes) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2 * nodes.size());
        try {
            List<Future<?>> sent = new ArrayList<>();
            for (int i = 0; i < GROUPS * SIZE; i++) {
                int number = i;
                AggregatingMessageHandler node = nodes.get(i % nodes.size());
                sent.add(threads.submit(() -> node.handleMessage(message(number))));
            }
            for (Future<?> one : sent) {
                one.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static Message<Integer> message(int number) {
        return MessageBuilder.withPayload(number)
                .setCorrelationId("group " + number / SIZE)
                .build();
    }
}
