/** The interceptors behind the annotations. */
@NullMarked
package io.holdfast.spring.aop;

import org.jspecify.annotations.NullMarked;
