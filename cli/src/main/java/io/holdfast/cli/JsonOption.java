package io.holdfast.cli;

import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option for the form of the output: for people or for programs. */
final class JsonOption {

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--json",
            description = "Prints JSON; tokens are strings, because they are larger than the numbers of many readers.")
    private boolean json;

    void print(Object forPrograms, List<String> forPeople) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Texts.json(forPrograms));
        } else {
            forPeople.forEach(out::println);
        }
        out.flush();
    }
}
