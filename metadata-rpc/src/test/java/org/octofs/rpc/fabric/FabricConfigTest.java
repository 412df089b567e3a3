package org.octofs.rpc.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FabricConfigTest {
    @Test
    void nobodySpinsOnTheOnlyProcessor() {
        assertThat(FabricConfig.spinNanos(1)).isZero();
        assertThat(FabricConfig.spinNanos(2)).isEqualTo(20_000);
    }
}
