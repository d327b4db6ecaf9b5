/** The lock interfaces of Redisson, implemented by a Holdfast client. */
@NullMarked
package io.holdfast.redisson.api;

import org.jspecify.annotations.NullMarked;
