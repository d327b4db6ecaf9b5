/** Virtual time: real clients and an in-memory server on one seeded, single-file platform. */
@NullMarked
package io.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
