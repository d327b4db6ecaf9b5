/** Several locks as one: uses locks as any user does, and knows nothing of the engine. Not exported. */
@NullMarked
package io.holdfast.internal.multi;

import org.jspecify.annotations.NullMarked;
