/** Servers as processes that can be stopped, killed and started again. */
@org.jspecify.annotations.NullMarked
package io.holdfast.testservers;
