/** The auto-configuration of clients for Spring Boot. */
@NullMarked
package io.holdfast.spring.boot;

import org.jspecify.annotations.NullMarked;
