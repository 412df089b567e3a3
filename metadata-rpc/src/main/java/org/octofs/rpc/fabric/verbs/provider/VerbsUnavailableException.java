package org.octofs.rpc.fabric.verbs.provider;

import java.io.IOException;
import java.io.Serial;

/** This machine cannot do verbs; the message says what is missing and how to get it. */
public final class VerbsUnavailableException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** In words for the user. */
    public VerbsUnavailableException(String message) {
        super(message);
    }

    /** In words for the user, and what the system said. */
    public VerbsUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
