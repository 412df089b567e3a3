package org.octofs.rpc.fabric.verbs.provider;

import com.ibm.disni.verbs.RdmaConnParam;

/**
 * Parameters of a connection with those that DiSNI's setters refuse: without the depths no READ would be possible.
 * Ownership: the private data is copied into the native call.
 */
public final class ConnectParameters extends RdmaConnParam {
    private final byte[] privateData;

    /**
     * Parameters.
     *
     * @param responderDepth READs of the peer that this side works on at a time
     * @param initiatorDepth READs of this side that the peer works on at a time
     * @param retries of a packet that is not acknowledged, 0 to 7
     * @param notReadyRetries when the peer has no receive posted, 0 to 7; 7 is for ever
     */
    public ConnectParameters(
            byte[] privateData, int responderDepth, int initiatorDepth, int retries, int notReadyRetries) {
        this.privateData = privateData.clone();
        this.private_data_len = (byte) privateData.length;
        this.responder_resources = (byte) responderDepth;
        this.initiator_depth = (byte) initiatorDepth;
        this.retry_count = (byte) retries;
        this.rnr_retry_count = (byte) notReadyRetries;
    }

    byte[] privateData() {
        return privateData;
    }
}
