package org.octofs.rpc.fabric.verbs;

import java.util.Arrays;
import org.octofs.rpc.fabric.RemoteRegion;
import org.octofs.rpc.fabric.handshake.Frame;
import org.octofs.rpc.fabric.handshake.FrameType;
import org.octofs.rpc.fabric.handshake.HandshakeException;
import org.octofs.rpc.fabric.transport.ConnectionPageLayout;

/**
 * What the peer grants, by index of its regions: which key of the card and which address an rkey stands for.
 *
 * <p>Threading: {@link #find} any, without a lock; changes under the monitor.
 */
final class PeerWindows {
    private static final int FIRST_LENGTH = 16;

    /**
     * A grant.
     *
     * @param rkey what messages call it
     * @param accessBits what is granted; 0 when it has been taken back
     * @param cardKey the key that the peer's card knows
     * @param address where the region begins in the peer's process
     * @param lengthBytes its length
     */
    record Window(long rkey, int accessBits, int cardKey, long address, long lengthBytes) {
        static Frame grantFrame(Window window) {
            return Frame.create(FrameType.GRANT)
                    .putLong(window.rkey)
                    .putInt(window.accessBits)
                    .putInt(window.cardKey)
                    .putLong(window.address)
                    .putLong(window.lengthBytes);
        }
    }

    private volatile Window[] windows = new Window[FIRST_LENGTH];

    /** The grant of exactly this rkey, perhaps taken back; null if there was none yet. */
    Window find(long rkey) {
        Window[] table = windows;
        int index = RemoteRegion.indexOf(rkey);
        if (index < 0 || index >= table.length) {
            return null;
        }
        Window window = table[index];
        return window == null || window.rkey != rkey ? null : window;
    }

    /** True if an rkey may still be granted: those of older generations were, and are over. */
    boolean mayCome(long rkey) {
        Window[] table = windows;
        int index = RemoteRegion.indexOf(rkey);
        if (index < 0 || index >= ConnectionPageLayout.REGION_COUNT) {
            return false;
        }
        Window window = index < table.length ? table[index] : null;
        return window == null || RemoteRegion.generationOf(rkey) - RemoteRegion.generationOf(window.rkey) > 0;
    }

    void grant(Frame frame) throws HandshakeException {
        Window window = new Window(frame.getLong(), frame.getInt(), frame.getInt(), frame.getLong(), frame.getLong());
        frame.end();
        if (window.lengthBytes < 0) {
            throw new HandshakeException("region of " + window.lengthBytes + " bytes");
        }
        put(window);
    }

    synchronized void put(Window window) throws HandshakeException {
        int index = checkedIndex(window.rkey);
        Window[] before = windows;
        Window[] changed = Arrays.copyOf(
                before,
                index < before.length
                        ? before.length
                        : Math.min(ConnectionPageLayout.REGION_COUNT, Math.max(index + 1, 2 * before.length)));
        changed[index] = window;
        windows = changed;
    }

    /** Takes a grant back; it stays as one without access. */
    synchronized void revoke(long rkey) throws HandshakeException {
        int index = checkedIndex(rkey);
        Window[] before = windows;
        if (index < before.length && before[index] != null && before[index].rkey == rkey) {
            Window[] changed = before.clone();
            changed[index] = new Window(rkey, 0, 0, 0, 0);
            windows = changed;
        }
    }

    private static int checkedIndex(long rkey) throws HandshakeException {
        int index = RemoteRegion.indexOf(rkey);
        if (index < 0 || index >= ConnectionPageLayout.REGION_COUNT) {
            throw new HandshakeException("region index " + index);
        }
        return index;
    }
}
