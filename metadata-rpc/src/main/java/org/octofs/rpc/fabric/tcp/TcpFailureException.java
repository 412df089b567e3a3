package org.octofs.rpc.fabric.tcp;

/** The connection cannot go on; the message says why. Never leaves this package. */
final class TcpFailureException extends Exception {
    private static final long serialVersionUID = 1L;

    TcpFailureException(String reason) {
        super(reason);
    }
}
