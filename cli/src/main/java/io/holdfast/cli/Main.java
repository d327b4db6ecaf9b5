package io.holdfast.cli;

import static io.holdfast.spi.Names.printable;

import io.holdfast.HoldfastException;
import io.holdfast.spi.StoreUri;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command {@code holdfast}. Results go to standard output, and everything other than results goes to standard error. */
@Command(
        name = "holdfast",
        description = "Distributed locks for the JVM, at the command line.",
        subcommands = {DemoCommand.class, LsCommand.class, ShowCommand.class, RehearseCommand.class},
        footer = {"", "In a checkout of the sources, ./holdfast bench measures; see ./holdfast bench --help."},
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = Main.Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:success", "1:failure", "2:wrong arguments", "69:the store cannot be used"})
public final class Main implements Callable<Integer> {

    private static final int HELP_WIDTH = 100;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Shows this help.")
    @SuppressWarnings("UnusedVariable")
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Shows the version, and the version of Java.")
    @SuppressWarnings("UnusedVariable")
    private boolean version;

    private Main() {}

    /** The version that the build has recorded in the jar. There is none if the classes are not in their jar. */
    static final class Version implements IVersionProvider {

        @Override
        public String[] getVersion() {
            String version = Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
                    .orElse("not packaged");
            return new String[] {"holdfast " + version + ", Java " + Runtime.version()};
        }
    }

    /** Runs one command, and ends the JVM with its exit code. */
    public static void main(String[] args) {
        CommandLine command = commandLine();
        if (CommandLineBytes.areThoseOf(args)) {
            System.exit(command.execute(args));
        }
        say(
                command,
                "an argument is not UTF-8, or the locale is not, so that names would be changed; set LC_ALL to a UTF-8 locale");
        System.exit(ExitCode.USAGE);
    }

    static CommandLine commandLine() {
        return commandLine(ReleaseCommand::ask);
    }

    /**
     * Returns the command line.
     *
     * @param terminal asks the user at the terminal
     */
    static CommandLine commandLine(Function<String, Optional<String>> terminal) {
        return new CommandLine(new Main())
                .addSubcommand(new CommandLine(new ExecCommand()).setStopAtPositional(true))
                .addSubcommand(new ReleaseCommand(terminal))
                .setUsageHelpWidth(HELP_WIDTH)
                .setExpandAtFiles(false)
                .setParameterExceptionHandler(Main::explainWrongArguments)
                .setExecutionExceptionHandler(Main::explainFailure);
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }

    private static int explainWrongArguments(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        say(command, oneLine(e, args) + "; see " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }

    private static int explainFailure(Exception e, CommandLine command, ParseResult parsed) {
        say(command, oneLine(e, new String[0]));
        return e instanceof HoldfastException ? ExitCode.UNUSABLE : ExitCode.FAILED;
    }

    /** Prints a line that is not a result to standard error. */
    static void say(CommandLine command, String line) {
        PrintWriter err = command.getErr();
        err.println(command.getCommandSpec().qualifiedName() + ": " + printable(line));
        err.flush();
    }

    /**
     * Returns the first line of the message. It masks the arguments that the message quotes, because one of them may be a URI
     * with a password.
     */
    private static String oneLine(Exception e, String[] args) {
        String text = Objects.requireNonNullElse(e.getMessage(), e.toString());
        for (String arg : args) {
            text = arg.contains(":") ? text.replace(arg, StoreUri.masked(arg)) : text;
        }
        return text.lines().findFirst().orElse(e.toString());
    }
}
