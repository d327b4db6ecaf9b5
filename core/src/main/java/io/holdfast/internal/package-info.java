/**
 * The client, which connects the internal packages and checks the arguments of users. This package is not exported. Its public
 * types are for the root package only.
 */
@NullMarked
package io.holdfast.internal;

import org.jspecify.annotations.NullMarked;
