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
 * The call sites of acquires, and the current work of owning threads, as texts for a person.
 *
 * <p>If call sites are recorded, each acquire needs a text, which costs several microseconds to create. So a text is created
 * once for each path through the code, and then cached. There are few such paths, and the size of the cache is limited.
 */
final class CallSites {

    // the depth hint, and the option that avoids checking each frame for reflection, make the walk twice as fast
    private static final StackWalker STACK =
            StackWalker.getInstance(Set.of(StackWalker.Option.SHOW_REFLECT_FRAMES), 16);
    private static final int FRAMES = 4;
    private static final int MAX_TEXTS = 1_000;

    private static final Pattern JDK_CLASS = Pattern.compile("(java|javax|jdk|sun)\\..*");

    private final Platform platform;
    private final boolean enabled;

    /** The texts by path. A path is the first method, followed by the class and the bytecode index of each frame. */
    private final Map<List<Object>, String> texts = new ConcurrentHashMap<>();

    CallSites(Platform platform, boolean enabled) {
        this.platform = platform;
        this.enabled = enabled;
    }

    /** Returns what the owning thread does now, or where a lease was acquired. The result is empty if that is unknown. */
    Optional<String> of(Hold hold) {
        Thread owner = hold.thread();
        return owner == null ? hold.callSite.map(site -> "acquired at " + site) : currentCall(platform.stack(owner));
    }

    /** Returns the innermost call, which shows what the thread waits for, and its callers outside the JDK. */
    private static Optional<String> currentCall(StackTraceElement[] stack) {
        List<StackTraceElement> calls =
                Stream.of(stack).filter(call -> isCaller(call.getClassName())).toList();
        String shown = IntStream.range(0, calls.size())
                .filter(i -> i == 0
                        || !JDK_CLASS.matcher(calls.get(i).getClassName()).matches())
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

    /** Returns the call site of the calling thread, or null if call sites are not recorded. */
    @Nullable
    String here() {
        if (!enabled) {
            return null;
        }
        List<Object> path = STACK.walk(CallSites::path);
        String cached = texts.get(path);
        return cached != null ? cached : cache(path, STACK.walk(CallSites::text));
    }

    /**
     * Returns the path, built from data that a frame provides at no extra cost. It includes the first method, because two
     * methods of a class may have the same index and the same caller. That caller may be missing from the path.
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

    private String cache(List<Object> path, String text) {
        if (texts.size() < MAX_TEXTS) {
            texts.put(path, text);
        }
        return text;
    }
}
