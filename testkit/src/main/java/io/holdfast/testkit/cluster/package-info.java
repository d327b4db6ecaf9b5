/** Servers that keep data together, as processes of this host, and rules for stores on them. */
@NullMarked
package io.holdfast.testkit.cluster;

import org.jspecify.annotations.NullMarked;
