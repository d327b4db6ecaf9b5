package io.holdfast.jdbc;

import java.io.PrintWriter;
import java.sql.Connection;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Data sources with the getters of pools that are not on the class path. */
public class TellingPool implements DataSource {

    /** Creates a data source without any getter. */
    public TellingPool() {}

    /** The getters of Tomcat. */
    public static final class Tomcat extends TellingPool {

        private final int size;

        /** Creates a pool. */
        public Tomcat(int size) {
            this.size = size;
        }

        /** The size. */
        public int getMaxActive() {
            return size;
        }

        /** The connections in use. */
        public int getActive() {
            return 7;
        }
    }

    /** The getters of DBCP. */
    public static final class Dbcp extends TellingPool {

        private final int size;

        /** Creates a pool. */
        public Dbcp(int size) {
            this.size = size;
        }

        /** The size. */
        public int getMaxTotal() {
            return size;
        }

        /** The connections in use. */
        public int getNumActive() {
            return 2;
        }
    }

    @Override
    public Connection getConnection() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Connection getConnection(String user, String password) {
        throw new UnsupportedOperationException();
    }

    @Override
    public PrintWriter getLogWriter() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> T unwrap(Class<T> kind) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isWrapperFor(Class<?> kind) {
        return false;
    }
}
