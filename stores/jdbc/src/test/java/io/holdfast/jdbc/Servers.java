package io.holdfast.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The servers that all tests of this process share. Each is started when it is first needed, and ends with the process. */
final class Servers {

    private Servers() {}

    static DatabaseServer postgreSql() {
        return PostgreSql.SERVER;
    }

    static DatabaseServer mariaDb() {
        return MariaDb.SERVER;
    }

    static DatabaseServer mySql() {
        return MySql.SERVER;
    }

    private static final class PostgreSql {
        private static final DatabaseServer SERVER = DatabaseServer.postgreSql();
    }

    private static final class MariaDb {
        private static final DatabaseServer SERVER = started(folder -> DatabaseServer.mariaDb(folder));
    }

    private static final class MySql {
        private static final DatabaseServer SERVER = started(DatabaseServer::mySql);
    }

    private interface Start {
        DatabaseServer in(Path folder) throws IOException, InterruptedException;
    }

    private static DatabaseServer started(Start start) {
        try {
            Path folder = Files.createTempDirectory("holdfast-server");
            DatabaseServer server = start.in(folder);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server, folder)));
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void end(DatabaseServer server, Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            server.close();
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(file -> file.delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
