package io.holdfast.zookeeper.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.zookeeper.client.HostProvider;
import org.junit.jupiter.api.Test;

/** The pauses before attempts to connect. */
class PromptHostsTest {

    private static final long PAUSE = 1_000;
    private static final InetSocketAddress SERVER = InetSocketAddress.createUnresolved("server", 2181);

    private final List<Long> pauses = new ArrayList<>();
    private final HostProvider hosts = new PromptHosts(new HostProvider() {

        @Override
        public int size() {
            return 1;
        }

        @Override
        public InetSocketAddress next(long pauseMillis) {
            pauses.add(pauseMillis);
            return SERVER;
        }

        @Override
        public void onConnected() {}

        @Override
        public boolean updateServerList(Collection<InetSocketAddress> servers, InetSocketAddress current) {
            return false;
        }
    });

    private void tries() {
        assertThat(hosts.next(PAUSE)).isEqualTo(SERVER);
    }

    @Test
    void pausesOnlyBetweenAttemptsThatFail() {
        tries();
        tries();
        hosts.onConnected();
        tries();
        tries();
        hosts.onConnected();
        tries();
        assertThat(pauses).containsExactly(PAUSE, PAUSE, 0L, PAUSE, 0L);
    }
}
