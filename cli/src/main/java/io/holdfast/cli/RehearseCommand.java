package io.holdfast.cli;

import io.holdfast.embedded.redis.RedisServer;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code holdfast rehearse}. It loads the classes that the launcher archives for a faster start. */
@Command(name = "rehearse", hidden = true, description = "Runs one command on a server of its own.")
final class RehearseCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        try (RedisServer server = RedisServer.start()) {
            return spec.root()
                    .commandLine()
                    .execute("exec", "--lock", "rehearsal", "--store", server.uri(), "--", "true");
        }
    }
}
