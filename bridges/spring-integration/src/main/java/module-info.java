/** Spring Integration's lock registry over a Holdfast client. */
module io.holdfast.spring.integration {
    requires transitive io.holdfast;
    requires transitive spring.integration.core;
    requires static transitive org.jspecify;

    exports io.holdfast.spring.integration;
}
