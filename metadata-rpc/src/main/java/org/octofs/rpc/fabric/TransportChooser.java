package org.octofs.rpc.fabric;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Picks the transport of a connection. The connecting side offers what its user allows, best first; the accepting side
 * takes the first offer that it can really serve (for shm: same boot, and the offered file can be opened and carries the
 * random token). When the connecting side then cannot use what was taken, it connects once more without it.
 */
public final class TransportChooser {
    /** Best first: a mapped copy costs no system call, a card costs no time of the peer's processor. */
    private static final List<TransportKind> PREFERENCE =
            List.of(TransportKind.SHM, TransportKind.VERBS, TransportKind.TCP);

    private TransportChooser() {}

    /**
     * What the connecting side offers, best first.
     *
     * @param choice the user's choice
     * @param available transports that this process has and is allowed to use
     * @param missing why it lacks others, in words
     * @throws FabricException {@link FabricException.Reason#NO_TRANSPORT} when nothing is left
     */
    public static List<TransportKind> offers(
            TransportChoice choice, Set<TransportKind> available, Map<TransportKind, String> missing)
            throws FabricException {
        List<TransportKind> offers = new ArrayList<>(PREFERENCE.size());
        for (TransportKind kind : PREFERENCE) {
            if (available.contains(kind)
                    && (choice == TransportChoice.AUTO || choice.name().equals(kind.name()))) {
                offers.add(kind);
            }
        }
        if (offers.isEmpty()) {
            for (Map.Entry<TransportKind, String> entry : missing.entrySet()) {
                if (choice.name().equals(entry.getKey().name())) {
                    throw new FabricException(
                            FabricException.Reason.NO_TRANSPORT,
                            "transport " + choice + " is not available: " + entry.getValue());
                }
            }
            throw new FabricException(
                    FabricException.Reason.NO_TRANSPORT,
                    "transport " + choice + " is not available in this process (available: " + available
                            + "); choose another one");
        }
        return offers;
    }
}
