package org.octofs.rpc.cluster;

import java.io.IOException;

/** A cluster file that cannot be used; the message names the file and the key and says what to do. */
public final class ClusterFileException extends IOException {
    private static final long serialVersionUID = 1L;

    /** With a message for the user. */
    public ClusterFileException(String message) {
        super(message);
    }
}
