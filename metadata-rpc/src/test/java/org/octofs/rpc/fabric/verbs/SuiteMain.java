package org.octofs.rpc.fabric.verbs;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes, or methods as {@code class#method}, without Maven: in a guest that has a JVM and an RDMA device and
 * little else. Prints a line per test; ends with 1 if one failed, was skipped or if there were none.
 */
public final class SuiteMain implements TestExecutionListener {
    private static final double NANOS_PER_SECOND = 1e9;

    private final PrintStream out = System.out;
    private long started;
    private int passed;
    private int failed;

    private SuiteMain() {}

    /** Arguments: what to run. */
    public static void main(String[] arguments) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        for (String name : arguments) {
            selectors.add(name.contains("#") ? selectMethod(name) : selectClass(name));
        }
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request().selectors(selectors).build();
        SuiteMain suite = new SuiteMain();
        LauncherFactory.create().execute(request, suite);
        suite.out.printf("%d passed, %d failed%n", suite.passed, suite.failed);
        suite.out.flush();
        Runtime.getRuntime().halt(suite.failed == 0 && suite.passed > 0 ? 0 : 1);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        started = System.nanoTime();
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        failed++;
        out.printf("SKIPPED %s: %s%n", name(test), reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        boolean isGood = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        if (test.isContainer() && isGood) {
            return;
        }
        double seconds = (System.nanoTime() - started) / NANOS_PER_SECOND;
        out.printf(Locale.ROOT, "%-6s %6.2f s  %s%n", isGood ? "ok" : "FAILED", seconds, name(test));
        if (isGood) {
            passed++;
        } else {
            failed++;
            result.getThrowable().ifPresent(failure -> failure.printStackTrace(out));
        }
        out.flush();
    }

    private static String name(TestIdentifier test) {
        String parent = test.getUniqueId().replaceAll(".*class:([^]]*).*", "$1");
        return parent.substring(parent.lastIndexOf('.') + 1) + "." + test.getDisplayName();
    }
}
