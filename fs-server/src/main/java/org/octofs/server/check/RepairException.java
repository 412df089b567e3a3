package org.octofs.server.check;

/** A repair that cannot be made; the message says why. */
final class RepairException extends Exception {
    private static final long serialVersionUID = 1;

    RepairException(String message) {
        super(message);
    }
}
