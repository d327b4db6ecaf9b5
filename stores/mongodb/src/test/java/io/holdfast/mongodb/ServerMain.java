package io.holdfast.mongodb;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.IOException;

/** A server in a process of its own, which ends when its standard input does. It listens on the port of its argument. */
final class ServerMain {

    private ServerMain() {}

    public static void main(String[] args) throws IOException {
        new MongoServer(new MemoryBackend()).bind("127.0.0.1", Integer.parseInt(args[0]));
        int end = System.in.read();
        Runtime.getRuntime().halt(end);
    }
}
