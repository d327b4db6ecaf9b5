package io.holdfast.spring.aop;

import io.holdfast.Holdfast;
import java.util.function.Function;

/** The clients of an application, by qualifier; empty for the default client. */
@FunctionalInterface
public interface Clients extends Function<String, Holdfast> {}
