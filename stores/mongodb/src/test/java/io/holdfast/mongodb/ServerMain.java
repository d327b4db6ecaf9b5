package io.holdfast.mongodb;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A server in a process of its own, which ends when its standard input does. It listens on the port of its argument. */
final class ServerMain {

    private ServerMain() {}

    public static void main(String[] args) throws IOException {
        // its updates are not atomic if it has several threads
        new MongoServer(new MemoryBackend())
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])), 1, 1);
        int end = System.in.read();
        Runtime.getRuntime().halt(end);
    }
}
