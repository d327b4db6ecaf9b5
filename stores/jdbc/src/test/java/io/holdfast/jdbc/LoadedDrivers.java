package io.holdfast.jdbc;

import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Loads the drivers before the tests of a class, so that their limits do not include that time of a cold process. */
public final class LoadedDrivers implements BeforeAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) throws SQLException {
        DriverManager.getConnection("jdbc:h2:mem:").close();
    }
}
