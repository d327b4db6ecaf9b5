package io.holdfast.testkit.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;

/** An authority of its own, and the certificates that it signs, made with the JDK's keytool in one key store. */
public final class Certificates {

    private static final String PASSWORD = "changeit";
    private static final String AUTHORITY = "ca";

    private final Path folder;

    /**
     * Creates an authority.
     *
     * @param folder the folder of its files
     */
    public Certificates(Path folder) {
        this.folder = folder;
        makePair(AUTHORITY, "-ext", "bc:critical=ca:true");
        writeCertificate(AUTHORITY);
    }

    /** Returns the file of the authority's certificate. */
    public Path authority() {
        return file(AUTHORITY + ".pem");
    }

    /** Creates {@code NAME.pem}, a certificate of the name, and {@code NAME.key}, its key. Returns the former. */
    public Path signed(String name, String... extensions) {
        makePair(
                name,
                Stream.concat(Stream.of("-signer", AUTHORITY), Stream.of(extensions))
                        .toArray(String[]::new));
        write(
                name + ".key",
                "PRIVATE KEY",
                store -> store.getKey(name, PASSWORD.toCharArray()).getEncoded());
        return writeCertificate(name);
    }

    /** Returns the options of a URI for a client that has the certificate, and trusts the authority. */
    public String ofClient(String name) {
        return "ca=" + authority() + "&cert=" + file(name + ".pem") + "&key=" + file(name + ".key");
    }

    /** Returns one of the files. */
    public Path file(String name) {
        return folder.resolve(name);
    }

    private interface Content {
        byte[] of(KeyStore store) throws GeneralSecurityException;
    }

    private Path writeCertificate(String name) {
        return write(
                name + ".pem",
                "CERTIFICATE",
                store -> store.getCertificate(name).getEncoded());
    }

    private Path write(String name, String kind, Content content) {
        try (InputStream in = Files.newInputStream(keyStore())) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD.toCharArray());
            String text = Base64.getMimeEncoder().encodeToString(content.of(store));
            return Files.writeString(
                    file(name), "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private Path keyStore() {
        return file("keys.p12");
    }

    /** Makes a key and its certificate. */
    private void makePair(String name, String... options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(List.of("-genkeypair", "-keyalg", "EC", "-alias", name, "-dname", "CN=" + name));
        command.addAll(List.of("-keystore", keyStore().toString(), "-storepass", PASSWORD));
        command.addAll(List.of(options));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            byte[] out = process.getInputStream().readAllBytes();
            if (process.waitFor() != 0) {
                throw new AssertionError(new String(out, StandardCharsets.UTF_8));
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
