package org.octofs.rpc.fabric.loopback;

/**
 * Decides when posted requests take effect. A scheduler may delay any connection for as long as it likes; within one
 * connection the order stays as posted, which {@link LoopbackConnection#executeNext} sees to.
 *
 * <p>Threading: a stepped network is used by one thread.
 */
public interface LoopbackScheduler {
    /** A request has been posted on a connection. */
    void posted(LoopbackConnection connection);

    /**
     * Lets one pending request of the scheduler's choice take effect.
     *
     * @return false when nothing is to happen now
     */
    boolean step();
}
