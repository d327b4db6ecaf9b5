package io.holdfast.redis.connection;

import io.holdfast.support.TlsFile;
import io.lettuce.core.SslOptions;
import java.io.File;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The options of a store URI, which follow its question mark. */
record UriOptions(Map<String, String> values) {

    static final UriOptions NONE = new UriOptions(Map.of());

    private static final String INTEROP = "interop";
    private static final String REDISSON = "redisson";
    private static final String SENTINEL_PASSWORD = "sentinel-password";
    private static final String CA = "ca";
    private static final String CERTIFICATE = "cert";
    private static final String KEY = "key";

    /** Thrown for a wrong option. Its text becomes a part of the error text, and shows no value that may be secret. */
    static final class Wrong extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Wrong(String message) {
            super(message);
        }
    }

    /**
     * Reads the options of a URI.
     *
     * @throws Wrong if an option is unknown, or does not fit this kind of URI
     */
    static UriOptions parse(String text, RedisAddress.Form form, boolean tls) {
        List<String> known = known(form, tls);
        Map<String, String> values = new LinkedHashMap<>();
        for (String each : text.split("&", -1)) {
            String[] option = each.split("=", 2);
            if (!known.contains(option[0])) {
                // a part without a value, or behind a password, may be the rest of a password
                boolean isSecret = (!each.isEmpty() && option.length == 1) || values.containsKey(SENTINEL_PASSWORD);
                throw new Wrong((isSecret ? "" : "there is no option '" + option[0] + "'; ") + shown(known));
            }
            values.put(option[0], option.length > 1 ? option[1] : "");
        }
        UriOptions options = new UriOptions(values);
        options.check();
        return options;
    }

    private static List<String> known(RedisAddress.Form form, boolean tls) {
        List<String> known = new ArrayList<>();
        if (form != RedisAddress.Form.CLUSTER) {
            known.add(INTEROP);
        }
        if (form == RedisAddress.Form.GROUP) {
            known.add(SENTINEL_PASSWORD);
        }
        if (tls) {
            known.addAll(List.of(CA, CERTIFICATE, KEY));
        }
        return known;
    }

    private static String shown(List<String> known) {
        if (known.isEmpty()) {
            return "there are no options";
        }
        String forms = known.stream()
                .map(name -> name + '=' + (name.equals(INTEROP) ? REDISSON : "..."))
                .collect(Collectors.joining(", "));
        return (known.size() == 1 ? "the only one is " : "the options are ") + forms;
    }

    private void check() {
        if (!values.getOrDefault(SENTINEL_PASSWORD, "").matches("[^/?#@:]*")) {
            throw new Wrong("in the option " + SENTINEL_PASSWORD + " the characters / ? # @ : are written as %XX");
        }
        String interop = values.getOrDefault(INTEROP, REDISSON);
        if (!interop.equals(REDISSON)) {
            throw new Wrong("the option " + INTEROP + " cannot be '" + interop + "'; the only value is " + REDISSON);
        }
        if (values.containsKey(CERTIFICATE) != values.containsKey(KEY)) {
            throw new Wrong("a certificate needs its key: give both, cert=FILE and key=FILE");
        }
        for (String name : List.of(CA, CERTIFICATE, KEY)) {
            file(name).filter(file -> !file.isFile() || !file.canRead()).ifPresent(file -> {
                throw new Wrong("the file of the option " + name + " cannot be read: " + file);
            });
        }
    }

    private Optional<File> file(String name) {
        return Optional.ofNullable(values.get(name))
                .map(text -> new File(URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8)));
    }

    /** Returns {@code true} if the options name certificates to trust or a certificate of the client. */
    boolean namesFiles() {
        return values.containsKey(CA) || values.containsKey(CERTIFICATE);
    }

    /** Returns what is wrong with one of the files, which may be half written; empty if they can be used. */
    Optional<String> wrongFile() {
        return TlsFile.wrong(
                file(CA).map(File::toPath),
                file(CERTIFICATE).map(File::toPath),
                file(KEY).map(File::toPath));
    }

    boolean besideRedisson() {
        return values.containsKey(INTEROP);
    }

    /** Returns the names of the options without their values. */
    @Override
    public String toString() {
        return values.keySet().toString();
    }

    /** Returns the password of the Sentinels as the login of a URI. */
    String sentinelLogin() {
        return Optional.ofNullable(values.get(SENTINEL_PASSWORD))
                .map(password -> ":" + password + "@")
                .orElse("");
    }

    /** Returns the certificates to trust and the certificate of the client. The defaults are those of the JVM, and none. */
    SslOptions tls() {
        SslOptions.Builder tls = SslOptions.builder().jdkSslProvider();
        file(CA).ifPresent(tls::trustManager);
        file(CERTIFICATE).ifPresent(file -> tls.keyManager(file, file(KEY).orElseThrow(), new char[0]));
        return tls.build();
    }
}
