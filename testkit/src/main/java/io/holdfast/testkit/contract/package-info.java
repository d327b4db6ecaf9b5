/** The rules of {@link io.holdfast.spi.LockStore} as tests, for authors of stores. */
@NullMarked
package io.holdfast.testkit.contract;

import org.jspecify.annotations.NullMarked;
