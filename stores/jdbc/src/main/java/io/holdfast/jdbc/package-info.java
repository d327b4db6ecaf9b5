/** Locks that are rows of a table; see {@link io.holdfast.jdbc.JdbcStoreProvider}. */
@NullMarked
package io.holdfast.jdbc;

import org.jspecify.annotations.NullMarked;
