package io.holdfast.embedded.redis;

import java.io.IOException;
import java.net.ServerSocket;

/** What is left of a server. */
final class Processes {

    private Processes() {}

    static boolean lives(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    static boolean canBind(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, Loopback.address())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
