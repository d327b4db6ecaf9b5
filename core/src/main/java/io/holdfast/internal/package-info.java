/**
 * The client, which connects the internal packages and checks what comes from users. The package is not exported. Its public
 * types are for the root package alone.
 */
@NullMarked
package io.holdfast.internal;

import org.jspecify.annotations.NullMarked;
