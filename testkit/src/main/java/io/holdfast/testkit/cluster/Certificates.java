package io.holdfast.testkit.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

/** An authority of its own, and the certificates that it signs, made with the JDK's keytool. */
public final class Certificates {

    private static final String PASSWORD = "changeit";

    private final Path folder;

    /**
     * Creates an authority.
     *
     * @param folder the folder of its files
     */
    public Certificates(Path folder) {
        this.folder = folder;
        keytool("ca", "-genkeypair", "-keyalg", "EC", "-dname", "CN=test authority", "-ext", "bc:critical=ca:true");
        write("ca.pem", keytool("ca", "-exportcert", "-rfc"));
    }

    /** Returns the file of the authority's certificate. */
    public Path authority() {
        return folder.resolve("ca.pem");
    }

    /** Creates {@code NAME.pem}, a certificate of the name, and {@code NAME.key}, its key. Returns the former. */
    public Path signed(String name, String... extensions) {
        keytool(name, "-genkeypair", "-keyalg", "EC", "-dname", "CN=" + name);
        write(name + ".csr", keytool(name, "-certreq"));
        List<String> sign = new ArrayList<>(
                List.of("-gencert", "-rfc", "-infile", file(name + ".csr").toString()));
        sign.addAll(List.of(extensions));
        write(name + ".key", pem(key(name)));
        return write(name + ".pem", keytool("ca", sign.toArray(String[]::new)));
    }

    /** Returns the options of a URI for a client that has the certificate, and trusts the authority. */
    public String ofClient(String name) {
        return "ca=" + authority() + "&cert=" + file(name + ".pem") + "&key=" + file(name + ".key");
    }

    /** Returns one of the files. */
    public Path file(String name) {
        return folder.resolve(name);
    }

    private byte[] key(String name) {
        try (InputStream in = Files.newInputStream(file(name + ".p12"))) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD.toCharArray());
            Key key = Objects.requireNonNull(store.getKey(name, PASSWORD.toCharArray()));
            return key.getEncoded();
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] pem(byte[] key) {
        String text = Base64.getMimeEncoder().encodeToString(key);
        return ("-----BEGIN PRIVATE KEY-----\n" + text + "\n-----END PRIVATE KEY-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private Path write(String name, byte[] bytes) {
        try {
            return Files.write(file(name), bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] keytool(String alias, String... options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        command.addAll(
                List.of("-alias", alias, "-keystore", file(alias + ".p12").toString()));
        command.addAll(List.of("-storepass", PASSWORD));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            byte[] out = process.getInputStream().readAllBytes();
            if (process.waitFor() != 0) {
                throw new AssertionError(new String(out, StandardCharsets.UTF_8));
            }
            return out;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
