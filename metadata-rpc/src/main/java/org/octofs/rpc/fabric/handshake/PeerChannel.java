package org.octofs.rpc.fabric.handshake;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * The control channel of one connection over its whole life: frames sent before the handshake has handed the socket over
 * wait for it, frames sent after the end go nowhere.
 *
 * <p>Threading: any.
 */
public final class PeerChannel {
    private final List<Frame> early = new ArrayList<>();
    private ControlChannel channel;
    private boolean ended;

    /** Takes the socket over and sends what has waited for it; closes it if the connection has ended meanwhile. */
    public synchronized void open(ControlLoop loop, SocketChannel socket, ControlChannel.Receiver receiver)
            throws IOException {
        if (ended) {
            socket.close();
            return;
        }
        channel = ControlChannel.open(loop, socket, receiver);
        for (Frame frame : early) {
            channel.send(frame);
        }
        early.clear();
    }

    /** Sends a frame, in the order of the calls. */
    public synchronized void send(Frame frame) {
        if (channel != null) {
            channel.send(frame);
        } else if (!ended) {
            early.add(frame);
        }
    }

    /** Has the caller handle what has arrived, rather than wait for the control thread. */
    public void readNow() {
        ControlChannel current;
        synchronized (this) {
            current = channel;
        }
        if (current != null) {
            current.readNow();
        }
    }

    /** Says goodbye and closes the socket. Idempotent. */
    public synchronized void end() {
        if (!ended && channel != null) {
            channel.send(Frame.create(FrameType.BYE));
            channel.close();
        }
        ended = true;
        early.clear();
    }
}
