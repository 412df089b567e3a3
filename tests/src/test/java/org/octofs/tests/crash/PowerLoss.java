package org.octofs.tests.crash;

/** A node stops in the middle of something. An Error, so that nothing on the way takes it for a failure that can be answered. */
final class PowerLoss extends Error {
    private static final long serialVersionUID = 1L;

    PowerLoss() {
        super("power loss", null, false, false);
    }
}
