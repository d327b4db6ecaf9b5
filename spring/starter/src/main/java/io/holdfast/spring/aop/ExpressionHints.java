package io.holdfast.spring.aop;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Lets expressions read {@code #root} in a native image. */
final class ExpressionHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.reflection().registerType(Expressions.Root.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
