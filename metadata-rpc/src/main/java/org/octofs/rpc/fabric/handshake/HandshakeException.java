package org.octofs.rpc.fabric.handshake;

import java.io.Serial;

/** The other end sent something that is not the protocol, or another version of it. The message is shown to users. */
public final class HandshakeException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    /** What is wrong with what came. */
    public HandshakeException(String message) {
        super(message);
    }
}
