package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads in texts. */
@Tag("everywhere")
class OwnerNameTest extends VirtualTime {

    private final DistributedLock lock = a.lock("n");

    @Test
    @SuppressWarnings("deprecation")
    void aThreadWithoutANameIsShownByItsId() {
        Thread me = Thread.currentThread();
        String name = me.getName();
        lock.lock();
        try {
            me.setName("");
            assertThat(b.lock("n").holder().orElseThrow().owner()).hasValue("thread #" + me.getId());
            assertThatThrownBy(b.lock("n")::unlock).hasMessageContaining("is not held by thread #" + me.getId() + ":");
        } finally {
            me.setName(name);
            lock.unlock();
        }
    }
}
