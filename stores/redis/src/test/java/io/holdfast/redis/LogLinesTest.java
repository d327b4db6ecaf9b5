package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.redis.LogLines.Foreseen;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A test that watches the log fails when it should. */
@Tag("everywhere")
class LogLinesTest {

    private static final Logger OURS = LoggerFactory.getLogger("io.holdfast.redis");
    private static final Logger THEIRS = LoggerFactory.getLogger("org.example");

    private final LogLines log = new LogLines("secret", "mine")
            .foresee(List.of(
                    Foreseen.warning("io.holdfast.redis", ".*foreseen.*", "it is written here"),
                    Foreseen.info("org.example", "foreseen", "it is written here")));

    @AfterEach
    void close() {
        try {
            log.close();
        } catch (AssertionError e) {
            // it was seen in the test
        }
    }

    private AbstractThrowableAssert<?, ? extends Throwable> assertFails() {
        return assertThatThrownBy(log::close).isInstanceOf(AssertionError.class);
    }

    @Test
    void aLineThatWasNotForeseenFails() {
        THEIRS.info("something");
        assertFails().hasMessageContaining("not foreseen: [\nINFO org.example: something");
    }

    @Test
    void aLineOfNettyOrLettuceIsALineLikeOthers() {
        InternalLoggerFactory.getInstance("io.lettuce.core").warn("Connection is {}", "closed");
        assertFails().hasMessageContaining("not foreseen: [\nWARNING io.lettuce.core: Connection is closed");
    }

    @Test
    void aForeseenLineIsForeseenAtItsLevelOfItsLoggerAndInFull() {
        THEIRS.warn("foreseen");
        OURS.info("foreseen");
        THEIRS.info("foreseen by nobody");
        assertFails()
                .hasMessageContaining("WARNING org.example: foreseen")
                .hasMessageContaining("INFO io.holdfast.redis: foreseen")
                .hasMessageContaining("INFO org.example: foreseen by nobody");
    }

    @Test
    void foreseenLinesPass() {
        THEIRS.info("foreseen");
        OURS.warn("foreseen of lock 'mine'");
        OURS.warn("foreseen c (1): the connection to Redis was lost");
        OURS.warn("foreseen, locks 'mine' and others");
        THEIRS.debug("details are nobody's business");
        assertThatCode(log::close).doesNotThrowAnyException();
    }

    @Test
    void thePasswordFailsWhereverItIs() {
        log.inDetail();
        OURS.debug("the secret");
        THEIRS.info("foreseen", new IllegalStateException(new IllegalStateException("redis://:secret@host")));
        assertFails()
                .hasMessageContaining("shows the password: [\nFINE io.holdfast.redis: the secret")
                .hasMessageContaining("redis://:secret@host");
    }

    @Test
    void aWarningThatNamesNoLockFails() {
        OURS.warn("foreseen of lock 'yours'");
        assertFails().hasMessageStartingWith("logged, and names no lock");
    }

    @Test
    void nothingIsCaughtAfterTheEnd() {
        log.inDetail();
        assertThat(OURS.isDebugEnabled()).isTrue();
        log.close();
        assertThat(OURS.isDebugEnabled()).isFalse();
        OURS.warn("too late");
        assertThat(log.those(line -> true)).isEmpty();
    }
}
