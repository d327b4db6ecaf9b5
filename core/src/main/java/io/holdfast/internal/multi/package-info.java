/** Several locks as one. It uses locks like any user does, and does not depend on the engine. Not exported. */
@NullMarked
package io.holdfast.internal.multi;

import org.jspecify.annotations.NullMarked;
