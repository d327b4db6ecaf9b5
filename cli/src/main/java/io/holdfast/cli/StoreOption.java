package io.holdfast.cli;

import io.holdfast.Holdfast;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The option for the store, for every command that uses one. */
final class StoreOption {

    private static final String VARIABLE = "HOLDFAST_STORE";

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--store",
            paramLabel = "URI",
            description =
                    "The store of the locks, for example redis://localhost:6379. Default: the environment variable "
                            + VARIABLE + ".")
    private @Nullable String given;

    String uri() {
        String uri = given == null ? System.getenv(VARIABLE) : given;
        if (uri == null || uri.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "no store: give --store redis://host, or set " + VARIABLE + " to such a URI");
        }
        return uri;
    }

    /**
     * Applies a question to a client of the store. A URI or a lock name that is not understood is reported as a wrong argument.
     */
    <T> T ask(Function<Holdfast, T> question) {
        try (Holdfast client = Holdfast.connect(uri())) {
            return question.apply(client);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }
}
