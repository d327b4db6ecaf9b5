package io.holdfast.testkit.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import io.holdfast.support.record.Notice;
import io.holdfast.support.record.Party;
import io.holdfast.support.session.NoticeBatches;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which messages a write sends, and which follow. */
class NoticeBatchesTest {

    private static Stream<Notice> messages(int count, Signal signal) {
        return IntStream.range(0, count).mapToObj(i -> new Notice(new Party("c", Optional.of("s" + i)), signal));
    }

    private static Stream<Notice> revoked(int count) {
        return messages(count, new Signal.Revoked("n", new TenureId("c", 1)));
    }

    private static Stream<Notice> assigned(int count) {
        return messages(
                count, new Signal.Assigned("n", new TenureId("c", 1), Mode.LOCK, new TokenBlock(1, 1), 0, 0, 1, 1));
    }

    private static Stream<Notice> wanted(int count) {
        return messages(count, new Signal.Wanted("n"));
    }

    private static NoticeBatches batches(List<Notice> first, List<Notice> second, List<Notice> third) {
        List<Notice> all = new ArrayList<>(first);
        all.addAll(second);
        all.addAll(third);
        return NoticeBatches.of(all);
    }

    @Test
    void sendsAFewWithTheWrite() {
        NoticeBatches batches =
                batches(wanted(1).toList(), assigned(1).toList(), revoked(1).toList());
        assertThat(batches.first())
                .containsExactlyElementsOf(Stream.of(revoked(1), assigned(1), wanted(1))
                        .flatMap(each -> each)
                        .toList());
        assertThat(batches.later()).isEmpty();
    }

    @Test
    void sendsEachRevocationByItselfIfTheWriteHasNoRoom() {
        NoticeBatches batches =
                batches(wanted(150).toList(), assigned(1).toList(), revoked(102).toList());
        assertThat(batches.first()).containsExactlyElementsOf(revoked(100).toList());
        assertThat(batches.later()).hasSize(4);
        assertThat(batches.later().get(0))
                .singleElement()
                .isEqualTo(revoked(101).toList().get(100));
        assertThat(batches.later().get(1)).hasSize(1);
        assertThat(batches.later().get(2)).containsExactlyElementsOf(wanted(100).toList());
        assertThat(batches.later().get(3)).hasSize(50);
    }

    @Test
    void sendsNoAssignmentLate() {
        NoticeBatches batches =
                batches(assigned(150).toList(), wanted(1).toList(), revoked(0).toList());
        assertThat(batches.first()).containsExactlyElementsOf(assigned(100).toList());
        assertThat(batches.later()).containsExactly(wanted(1).toList());
    }
}
