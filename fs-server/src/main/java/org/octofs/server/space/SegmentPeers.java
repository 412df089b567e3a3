package org.octofs.server.space;

import org.octofs.rpc.protocol.MessageBuffer;

/** Calls to the other servers about segments. Confined to the server's worker; nothing waits. */
public interface SegmentPeers {
    /** Fills a request. */
    @FunctionalInterface
    interface Filler {
        /** Fills the body and answers its length in bytes. */
        int fill(MessageBuffer request);
    }

    /** Takes the outcome of a call, on the worker. */
    @FunctionalInterface
    interface Completion {
        /**
         * The call is over.
         *
         * @param errno 0 = success, else why not; {@link #UNKNOWN} if it is not known whether it was done
         * @param reply valid until this returns, and only with errno 0 and an op code that has one
         */
        void completed(int errno, MessageBuffer reply);
    }

    /** No answer: the call may have been executed or not. */
    int UNKNOWN = -1;

    /**
     * Sends a request.
     *
     * @param bodyBytesMax room for the request's body
     * @param completion called exactly once, later
     * @return false if the node cannot be reached now; nothing was sent and nothing will be completed
     */
    boolean call(int node, int opCode, int bodyBytesMax, Filler filler, Completion completion);
}
