package io.holdfast.zookeeper.connection;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.ZooDefs.Perms;
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
 */
public record Settings(String servers, Optional<String> login, String root, Duration session, Duration tick) {

    /** Returns the access list of new nodes: they belong to the user of the login, or to everyone. */
    List<ACL> acl() {
        Id allowed = login.isPresent() ? new Id("auth", "") : new Id("world", "anyone");
        return List.of(new ACL(Perms.ALL, allowed));
    }

    /** Returns the address for texts, without the password. */
    public String address() {
        return "ZooKeeper at " + servers + root;
    }
}
