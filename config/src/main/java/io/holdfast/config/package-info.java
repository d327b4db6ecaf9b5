/** The options of a client from a file. */
@NullMarked
package io.holdfast.config;

import org.jspecify.annotations.NullMarked;
