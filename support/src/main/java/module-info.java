/** What stores have in common, for those who write one. */
module io.holdfast.support {
    requires transitive io.holdfast;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.holdfast.support;
}
