/** Processes that contend for locks while a test injects faults into the server. */
@NullMarked
package io.holdfast.testkit.crowd;

import org.jspecify.annotations.NullMarked;
