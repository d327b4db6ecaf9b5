package io.holdfast.redisson.api;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a blocking method that depends on no calling thread and waits for no other owner. The {@link Dispatcher} also calls it
 * for the asynchronous method of the same name, on a thread of {@link Background}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface InBackground {}
