package io.holdfast.zookeeper.connection;

import io.holdfast.support.TlsFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/**
 * The settings of a connection.
 *
 * @param servers the servers, as ZooKeeper's client takes them
 * @param login the user and password; empty for none
 * @param root the node below which the store keeps everything
 * @param session the requested session timeout
 * @param tick the tick time of the servers
 * @param tls the settings of ZooKeeper's client for TLS, without the prefix {@code zookeeper.}; empty for none
 */
public record Settings(
        String servers, Optional<String> login, String root, Duration session, Duration tick, Map<String, String> tls) {

    /** Creates settings. */
    public Settings {
        tls = Map.copyOf(tls);
    }

    /** Returns the configuration of ZooKeeper's client. Its socket with TLS is that of Netty. */
    ZKClientConfig client() {
        ZKClientConfig client = new ZKClientConfig();
        client.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        tls.forEach((name, value) -> client.setProperty("zookeeper." + name, value));
        if (!tls.isEmpty()) {
            client.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
            client.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, ClientCnxnSocketNetty.class.getName());
        }
        return client;
    }

    /** Returns what is wrong with one of the files for TLS, which may be half written; empty if they can be used. */
    Optional<String> wrongFile() {
        return wrong("ssl.keyStore", TlsFile::wrongKeyAndCertificates)
                .or(() -> wrong("ssl.trustStore", TlsFile::wrongCertificates));
    }

    private Optional<String> wrong(String store, Function<TlsFile, Optional<String>> ofPem) {
        return Optional.ofNullable(tls.get(store + ".location"))
                .map(path -> new TlsFile(store + ".location", Path.of(path)))
                .flatMap(file -> switch (type(store, file.path())) {
                    case "PEM" -> ofPem.apply(file);
                    case "JKS", "PKCS12" -> file.wrongStore(Optional.ofNullable(tls.get(store + ".password")));
                    default -> Optional.empty();
                });
    }

    /** Returns the type of a store, which ZooKeeper's client derives from the end of the name. */
    private String type(String store, Path file) {
        String name = file.toString();
        return Optional.ofNullable(tls.get(store + ".type"))
                .map(type -> type.toUpperCase(Locale.ROOT))
                .orElseGet(() -> Map.of("pem", "PEM", "jks", "JKS", "p12", "PKCS12")
                        .getOrDefault(name.substring(name.lastIndexOf('.') + 1), ""));
    }

    /** Returns the servers in a random order. */
    HostProvider hosts() {
        return new PromptHosts(new StaticHostProvider(new ConnectStringParser(servers).getServerAddresses()));
    }

    /** Returns the access list of new nodes: they belong to the user of the login, or to everyone. */
    List<ACL> acl() {
        Id allowed = login.isPresent() ? new Id("auth", "") : new Id("world", "anyone");
        return List.of(new ACL(Perms.ALL, allowed));
    }

    /** Returns the address for texts, without the password. */
    public String address() {
        return "ZooKeeper at " + servers + root;
    }

    /** Returns the address, because a generated text would have the passwords. */
    @Override
    public String toString() {
        return address();
    }
}
