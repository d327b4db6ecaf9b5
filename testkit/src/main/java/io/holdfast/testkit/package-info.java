/** Virtual time: real clients and an in-memory server on one seeded platform that runs one thread at a time. */
@NullMarked
package io.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
