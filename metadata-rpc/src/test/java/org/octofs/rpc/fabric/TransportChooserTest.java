package org.octofs.rpc.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the connecting side offers. */
final class TransportChooserTest {
    private static final EnumSet<TransportKind> BOTH = EnumSet.of(TransportKind.TCP, TransportKind.SHM);

    @Test
    void bestFirstAndOnlyWhatIsAllowed() throws FabricException {
        assertThat(TransportChooser.offers(TransportChoice.AUTO, BOTH, Map.of()))
                .containsExactly(TransportKind.SHM, TransportKind.TCP);
        assertThat(TransportChooser.offers(TransportChoice.TCP, BOTH, Map.of())).containsExactly(TransportKind.TCP);
        assertThat(TransportChooser.offers(TransportChoice.SHM, BOTH, Map.of())).containsExactly(TransportKind.SHM);
        assertThat(TransportChooser.offers(TransportChoice.AUTO, EnumSet.of(TransportKind.TCP), Map.of()))
                .containsExactly(TransportKind.TCP);
    }

    @Test
    void nothingLeftIsSaidInWords() {
        assertThatThrownBy(() -> TransportChooser.offers(TransportChoice.SHM, EnumSet.of(TransportKind.TCP), Map.of()))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.NO_TRANSPORT))
                .hasMessageContaining("SHM");
        assertThatThrownBy(() -> TransportChooser.offers(TransportChoice.LOOPBACK, BOTH, Map.of()))
                .isInstanceOf(FabricException.class);
    }
}
