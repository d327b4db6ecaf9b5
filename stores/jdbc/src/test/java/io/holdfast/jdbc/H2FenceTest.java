package io.holdfast.jdbc;

/** A fence in H2. */
class H2FenceTest extends FenceRules {

    @Override
    String uri() {
        return "jdbc:h2:mem:fence;DB_CLOSE_DELAY=-1";
    }
}
