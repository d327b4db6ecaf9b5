package io.holdfast.spring.integration;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.DistributedLock;
import io.holdfast.LeaseLostException;
import io.holdfast.StoreUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A renewal asks the store. */
@Timeout(180)
class RenewalTest extends RedisRules {

    @Test
    void aRenewalReportsAHoldThatTheStoreHasForgotten() throws Exception {
        here.obtain("a").lock();
        here.renewLock("a");
        deleteAll();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> here.renewLock("a"));
    }

    @Test
    void aRenewalReportsAHoldThatAnotherClientHasTaken() throws Exception {
        here.obtain("a").lock();
        deleteAll();
        there.obtain("a").lock();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> here.renewLock("a"));
    }

    @Test
    void aRenewalThatTheStoreDoesNotAnswerKeepsTheHold() {
        DistributedLock lock = here.obtain("a");
        lock.lock();
        server.pause();
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> here.renewLock("a"));
        server.resume();
        here.renewLock("a");
        lock.unlock();
    }
}
