/** What tests look at afterwards: who held what when, and what was left behind. */
@NullMarked
package io.holdfast.testkit.check;

import org.jspecify.annotations.NullMarked;
