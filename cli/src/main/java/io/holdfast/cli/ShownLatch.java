package io.holdfast.cli;

import static io.holdfast.spi.Names.printable;

import io.holdfast.LatchCount;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A latch that is set. */
record ShownLatch(LatchCount latch) implements Shown {

    @Override
    public String name() {
        return latch.name();
    }

    private String count() {
        return latch.isOpen() ? "open" : latch.count() + " to count down";
    }

    @Override
    public List<String> row() {
        return List.of(printable(latch.name()), "latch", count(), Texts.NONE, Texts.NONE, Texts.NONE);
    }

    @Override
    public List<String> details() {
        return List.of("latch       " + printable(latch.name()), "count       " + count());
    }

    @Override
    public Map<String, @Nullable Object> asMap() {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("kind", "latch");
        map.put("name", latch.name());
        map.put("count", latch.count());
        map.put("open", latch.isOpen());
        return map;
    }
}
