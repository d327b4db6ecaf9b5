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
 * Where locks are acquired, and what their owners do now, as texts for a person.
 *
 * <p>If places are recorded, each acquisition wants a text, which costs several microseconds. So it is made once for each way
 * through the code that leads there. There are few of these, and no more than so many are kept.
 */
public final class CallSites {

    // with a hint of how deep it goes, and without a look at each frame for whether it is one of reflection: twice as
    // fast
    private static final StackWalker STACK =
            StackWalker.getInstance(Set.of(StackWalker.Option.SHOW_REFLECT_FRAMES), 16);
    private static final int FRAMES = 4;
    private static final int KEPT = 1_000;

    private static final Pattern OF_THE_JDK = Pattern.compile("(java|javax|jdk|sun)\\..*");

    private final Platform platform;
    private final boolean recorded;

    /** By what a way is known: of each frame its class and index, and of the first its method. */
    private final Map<List<Object>, String> texts = new ConcurrentHashMap<>();

    CallSites(Platform platform, boolean recorded) {
        this.platform = platform;
        this.recorded = recorded;
    }

    /** What the owning thread does now, or where a lease was taken; empty if that is not known. */
    Optional<String> of(Hold hold) {
        Thread owner = hold.thread();
        return owner == null ? hold.place.map(place -> "taken at " + place) : now(platform.stack(owner));
    }

    /** The innermost call, which shows what is waited for, and the callers that are not of the JDK. */
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

    /** Where the calling thread came from; null if that is not recorded. */
    @Nullable
    public String here() {
        if (!recorded) {
            return null;
        }
        List<Object> path = STACK.walk(CallSites::path);
        String known = texts.get(path);
        return known != null ? known : keep(path, STACK.walk(CallSites::text));
    }

    /** What is known for nothing. Two methods of a class may have the same index, and be called by the same frame that is not shown. */
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
