package io.holdfast.etcd;

import io.holdfast.testkit.StoreClient;
import java.io.IOException;
import java.nio.file.Path;

/** A process that holds a name until it is killed. */
final class ClientMain {

    private ClientMain() {}

    static Process start(String uri, String name) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ClientMain.class.getName(),
                        uri,
                        name)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    public static void main(String[] args) throws IOException {
        StoreClient client = new StoreClient(new EtcdStoreProvider(), args[0], config -> config);
        client.granted(args[1], 1);
        // ends with the process that has started it, too
        int end = System.in.read();
        Runtime.getRuntime().halt(end);
    }
}
