package org.octofs.tests.support;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Processes of the tests' own, with the classes of the tests and the options that the product needs. */
public final class TestJvm {
    /** For a short life beside others: little memory, and no time for compiling well. */
    public static final List<String> SMALL = List.of("-XX:TieredStopAtLevel=1", "-Xmx256m");

    private TestJvm() {}

    /** Prepares {@code main arguments}; the caller says where its output goes, starts it, and sees to its end. */
    public static ProcessBuilder of(Class<?> main, List<String> options, String... arguments) {
        List<String> all = new ArrayList<>(options);
        all.add("-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", ""));
        return of(System.getProperty("java.class.path"), main.getName(), all, List.of(arguments));
    }

    /** The same with other classes. */
    public static ProcessBuilder of(String classPath, String main, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }
}
