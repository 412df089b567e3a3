package org.octofs.tests.system;

import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;

/** Two nodes and two mounts, that is two client processes, for each binding that the test class is run with. */
abstract class OnTwoMounts {
    /** That of the class that runs. */
    static SystemCluster cluster;

    @Parameter
    String binding;

    @BeforeParameterizedClassInvocation
    static void up(String binding) {
        cluster = SystemCluster.up(2, "256M", "auto", "allow_other,binding=" + binding);
        cluster.addMount2();
    }

    @AfterParameterizedClassInvocation
    static void down() {
        if (cluster != null) {
            cluster.close();
        }
    }
}
