package org.octofs.rpc.fabric.verbs.provider;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** An event of the connection manager, with what DiSNI's leaves out: the status and the peer's private data. */
public final class NativeCmEvent extends RdmaCmEvent {
    // The numbers of enum rdma_cm_event_type.

    /** The address is resolved, the device known. */
    public static final int ADDRESS_RESOLVED = 0;

    /** The route is resolved. */
    public static final int ROUTE_RESOLVED = 2;

    /** A peer wants to connect. */
    public static final int CONNECT_REQUEST = 4;

    /** The peer has refused. */
    public static final int REJECTED = 8;

    /** The connection stands. */
    public static final int ESTABLISHED = 9;

    /** The peer has ended the connection. */
    public static final int DISCONNECTED = 10;

    /** The device goes. */
    public static final int DEVICE_REMOVAL = 11;

    /** The network interface below has another address now. */
    public static final int ADDRESS_CHANGE = 14;

    /** A connection that ended may be forgotten. */
    public static final int TIMEWAIT_EXIT = 15;

    private static final String[] NAMES = {
        "address resolved",
        "the address cannot be resolved",
        "route resolved",
        "there is no route",
        "connect request",
        "connect response",
        "the connection request failed",
        "the peer cannot be reached",
        "the peer has rejected it",
        "established",
        "the peer has disconnected",
        "the RDMA device is removed",
        "joined",
        "not joined",
        "the network interface has changed its address",
        "time-wait is over"
    };

    final MemorySegment pointer;
    private final byte[] privateData;

    NativeCmEvent(
            MemorySegment pointer, int event, int status, RdmaCmId listenId, RdmaCmId connectionId, byte[] privateData)
            throws IOException {
        super(event, listenId, connectionId);
        this.status = status;
        this.pointer = pointer;
        this.privateData = privateData;
    }

    /** The event in words. */
    public String text() {
        String name = event < NAMES.length ? NAMES[event] : "event " + event;
        return status == 0 ? name : name + " (status " + status + ")";
    }

    /** What the peer sent along; may be padded with zeros at the end. A copy. */
    public byte[] privateData() {
        return privateData.clone();
    }
}
