package io.holdfast.support;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file with certificates or a key. It may be half written, because certificates are being renewed. A driver that reads it then
 * reports a failure that does not name it, or one of the other side.
 *
 * @param option the option that names the file
 */
public record TlsFile(String option, Path path) {

    private static final Logger LOG = LoggerFactory.getLogger(TlsFile.class);
    private static final Pattern END_OF_CERTIFICATE = Pattern.compile("-----END CERTIFICATE-----");
    private static final Pattern END_OF_KEY = Pattern.compile("-----END [A-Z ]*PRIVATE KEY-----");

    /**
     * Returns what is wrong with one of the files of the options {@code ca}, {@code cert} and {@code key}, whose format is PEM; empty
     * if they can be used.
     */
    public static Optional<String> wrong(Optional<Path> authority, Optional<Path> certificate, Optional<Path> key) {
        return authority
                .flatMap(path -> new TlsFile("ca", path).wrongCertificates())
                .or(() -> certificate.flatMap(path -> new TlsFile("cert", path).wrongCertificates()))
                .or(() -> key.flatMap(path -> new TlsFile("key", path).wrongKey()));
    }

    /** Returns what is wrong with a file of certificates in the format PEM; empty if it can be used. */
    public Optional<String> wrongCertificates() {
        return hasCertificate() ? Optional.empty() : wrong("has no complete certificate");
    }

    /** Returns what is wrong with a file with a private key in the format PEM; empty if it is complete. */
    public Optional<String> wrongKey() {
        return has(END_OF_KEY) ? Optional.empty() : wrong("has no complete private key");
    }

    /** Returns what is wrong with a file of certificates and their private key in the format PEM; empty if it is complete. */
    public Optional<String> wrongKeyAndCertificates() {
        return wrongKey().or(() -> has(END_OF_CERTIFICATE) ? Optional.empty() : wrong("has no complete certificate"));
    }

    /** Returns what is wrong with a key store in a format of the JDK; empty if it can be used. */
    public Optional<String> wrongStore(Optional<String> password) {
        try {
            var unused = KeyStore.getInstance(
                    path.toFile(), password.map(String::toCharArray).orElse(null));
            return Optional.empty();
        } catch (IOException | GeneralSecurityException e) {
            LOG.debug("a key store cannot be read", e);
            return wrong("is no complete key store, or has another password");
        }
    }

    private Optional<String> wrong(String what) {
        return Optional.of("the file of the option " + option + " " + what + ": " + path);
    }

    private boolean has(Pattern end) {
        return end.matcher(new String(content(), StandardCharsets.ISO_8859_1)).find();
    }

    private boolean hasCertificate() {
        try {
            return !CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(content()))
                    .isEmpty();
        } catch (CertificateException e) {
            LOG.debug("a certificate cannot be read", e);
            return false;
        }
    }

    private byte[] content() {
        try {
            return Files.readAllBytes(path);
        } catch (IOException e) {
            LOG.debug("a file cannot be read", e);
            return new byte[0];
        }
    }
}
