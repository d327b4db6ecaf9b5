package io.holdfast.jdbc;

/** Releases in MariaDB whose answer is lost. */
class MariaDbLostReleaseTest extends DatabaseLostReleaseRules {

    MariaDbLostReleaseTest() {
        super(Servers.mariaDb());
    }
}
