/** The store for MongoDB, and a fence for its collections. */
@NullMarked
package io.holdfast.mongodb;

import org.jspecify.annotations.NullMarked;
