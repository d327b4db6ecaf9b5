package io.holdfast.zookeeper.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.Await;
import io.holdfast.zookeeper.TestServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class InboxTest {

    private static final String PATH = "/inbox";
    private static final int MESSAGES = 1_000;

    private final List<String> received = new CopyOnWriteArrayList<>();
    private ZooKeeper handle;
    private Requests requests;
    private Inbox inbox;

    @BeforeEach
    void connect() throws IOException {
        handle = TestServer.client();
        requests = new Requests(handle, List.of(new ACL(Perms.ALL, new Id("world", "anyone"))));
        inbox = new Inbox(requests, PATH, (text, before) -> received.add(text + " after " + before));
        Await.reply(requests.ensure(PATH, new byte[0], CreateMode.PERSISTENT));
        Await.reply(requests.sync(PATH));
    }

    @AfterEach
    void close() throws InterruptedException {
        handle.close();
    }

    /** More messages than can be deleted before the next one is received. */
    @Test
    void eachMessageIsReceivedOnceAndDeletedByOneRequest() {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            String name = PATH + "/F%20n" + i + "-" + String.format("%010d", i);
            var unused = requests.ensure(name, new byte[0], CreateMode.PERSISTENT);
            expected.add("F n" + i + " after 7");
        }
        Await.reply(requests.sync(PATH));
        long before = TestServer.received();
        Await.reply(inbox.list(7));
        Await.reply(inbox.list(8));
        inbox.clear();
        Await.until(
                "all are deleted", () -> Await.reply(requests.children(PATH)).isEmpty());
        assertThat(received).containsExactlyElementsOf(expected);
        assertThat(TestServer.received() - before).isBetween((long) MESSAGES, MESSAGES + 200L);
    }
}
