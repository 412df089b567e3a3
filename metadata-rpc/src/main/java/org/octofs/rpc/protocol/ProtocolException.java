package org.octofs.rpc.protocol;

/**
 * A message cannot be what it claims to be: a length, offset or field lies outside of what the protocol allows.
 *
 * <p>Unchecked, because it is thrown from the accessors of flyweights; whoever takes a message off the wire catches it
 * in one place and answers {@link Errno#EPROTO}. It never means that a buffer was read or written out of bounds.
 */
public class ProtocolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what was found and what was expected, for a log
     */
    public ProtocolException(String message) {
        super(message);
    }
}
