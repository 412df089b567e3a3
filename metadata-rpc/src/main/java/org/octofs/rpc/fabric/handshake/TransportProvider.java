package org.octofs.rpc.fabric.handshake;

import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.TransportKind;

/**
 * A transport that this program has. Found by {@link java.util.ServiceLoader}: a public class with a public constructor
 * without parameters, named in {@code META-INF/services}.
 */
public interface TransportProvider {
    /** Which one it is. */
    TransportKind kind();

    /**
     * Starts it for one fabric.
     *
     * @throws FabricException when this machine lacks what it needs; the fabric then does without it
     */
    Transport start(TransportContext context) throws FabricException;
}
