package io.holdfast.internal.engine;

import io.holdfast.internal.slot.Hold;
import io.holdfast.spi.Platform;
import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The places where locks are acquired, and the current work of their owners, as texts for a person.
 *
 * <p>If places are recorded, each acquisition needs a text, which costs several microseconds. So a text is made once for each
 * path through the code that leads there. There are few such paths, and the number of kept texts is limited.
 */
final class CallSites {

    // the depth hint, and the option that spares a check of each frame for reflection, make the walk twice as fast
    private static final StackWalker STACK =
            StackWalker.getInstance(Set.of(StackWalker.Option.SHOW_REFLECT_FRAMES), 16);
    private static final int FRAMES = 4;
    private static final int KEPT = 1_000;

    private static final Pattern OF_THE_JDK = Pattern.compile("(java|javax|jdk|sun)\\..*");

    private final Platform platform;
    private final boolean recorded;

    /** The texts by path. A path consists of the class and the index of each frame, and of the method of the first frame. */
    private final Map<List<Object>, String> texts = new ConcurrentHashMap<>();

    CallSites(Platform platform, boolean recorded) {
        this.platform = platform;
        this.recorded = recorded;
    }

    /** Returns what the owning thread does now, or where a lease was acquired; empty if that is not known. */
    Optional<String> of(Hold hold) {
        Thread owner = hold.thread();
        return owner == null ? hold.callSite.map(place -> "acquired at " + place) : now(platform.stack(owner));
    }

    /** Returns the innermost call, which shows what the thread waits for, and the callers outside the JDK. */
    private static Optional<String> now(StackTraceElement[] stack) {
        List<StackTraceElement> calls =
                Stream.of(stack).filter(call -> isCaller(call.getClassName())).toList();
        String shown = IntStream.range(0, calls.size())
                .filter(i -> i == 0
                        || !OF_THE_JDK.matcher(calls.get(i).getClassName()).matches())
                .limit(FRAMES)
                .mapToObj(i -> withoutModule(calls.get(i)))
                .collect(Collectors.joining(" < "));
        return Optional.of("now at " + shown).filter(any -> !calls.isEmpty());
    }

    private static String withoutModule(StackTraceElement call) {
        return new StackTraceElement(
                        call.getClassName(), call.getMethodName(), call.getFileName(), call.getLineNumber())
                .toString();
    }

    /** Returns the call site of the calling thread; null if places are not recorded. */
    @Nullable
    String here() {
        if (!recorded) {
            return null;
        }
        List<Object> path = STACK.walk(CallSites::path);
        String known = texts.get(path);
        return known != null ? known : keep(path, STACK.walk(CallSites::text));
    }

    /**
     * Returns the path, from data that a frame has without further cost. It contains the first method. Two methods of a class
     * may have the same index and the same caller, and that caller may not be shown.
     */
    private static List<Object> path(Stream<StackFrame> frames) {
        List<Object> path = new ArrayList<>(1 + 2 * FRAMES);
        Iterator<StackFrame> all = frames.iterator();
        while (all.hasNext() && path.size() < 1 + 2 * FRAMES) {
            StackFrame frame = all.next();
            if (isCaller(frame.getClassName())) {
                if (path.isEmpty()) {
                    path.add(frame.getMethodName());
                }
                path.add(frame.getClassName());
                path.add(frame.getByteCodeIndex());
            }
        }
        return path;
    }

    private static String text(Stream<StackFrame> frames) {
        return frames.filter(frame -> isCaller(frame.getClassName()))
                .limit(FRAMES)
                .map(StackFrame::toString)
                .collect(Collectors.joining(" < "));
    }

    private static boolean isCaller(String type) {
        return !type.startsWith("io.holdfast.internal.")
                && !type.startsWith("io.holdfast.recipes.")
                && !type.startsWith("java.lang.reflect.")
                && !type.startsWith("jdk.internal.reflect.");
    }

    private String keep(List<Object> path, String text) {
        if (texts.size() < KEPT) {
            texts.put(path, text);
        }
        return text;
    }
}
