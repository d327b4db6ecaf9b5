package io.holdfast.internal;

import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where locks are acquired, as a text for a person.
 *
 * <p>A text costs several microseconds, and every acquisition that waits wants one; so it is made once for each way through
 * the code that leads there. There are few of these, and no more than so many are kept.
 */
final class Sites {

    // with a hint of how deep it goes, and without a look at each frame for whether it is one of reflection: twice as
    // fast
    private static final StackWalker STACK =
            StackWalker.getInstance(Set.of(StackWalker.Option.SHOW_REFLECT_FRAMES), 16);
    private static final int FRAMES = 4;
    private static final int KEPT = 1_000;

    /** By what a way is known: of each frame its class and index, and of the first its method. */
    private final Map<List<Object>, String> texts = new ConcurrentHashMap<>();

    /** Where the calling thread came from. */
    String here() {
        List<Object> way = STACK.walk(Sites::way);
        String known = texts.get(way);
        return known != null ? known : keep(way, STACK.walk(Sites::text));
    }

    /** What is known for nothing. Two methods of a class may have the same index, and be called by the same frame that is not shown. */
    private static List<Object> way(Stream<StackFrame> frames) {
        List<Object> way = new ArrayList<>(1 + 2 * FRAMES);
        Iterator<StackFrame> all = frames.iterator();
        while (all.hasNext() && way.size() < 1 + 2 * FRAMES) {
            StackFrame frame = all.next();
            if (isCaller(frame)) {
                if (way.isEmpty()) {
                    way.add(frame.getMethodName());
                }
                way.add(frame.getClassName());
                way.add(frame.getByteCodeIndex());
            }
        }
        return way;
    }

    private static String text(Stream<StackFrame> frames) {
        return frames.filter(Sites::isCaller)
                .limit(FRAMES)
                .map(StackFrame::toString)
                .collect(Collectors.joining(" < "));
    }

    private static boolean isCaller(StackFrame frame) {
        String type = frame.getClassName();
        return !type.startsWith("io.holdfast.internal.")
                && !type.startsWith("java.lang.reflect.")
                && !type.startsWith("jdk.internal.reflect.");
    }

    private String keep(List<Object> way, String text) {
        if (texts.size() < KEPT) {
            texts.put(way, text);
        }
        return text;
    }
}
