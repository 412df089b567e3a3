package org.octofs.server.lease;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What one client's kernel may keep of one inode. It is held until the home has to recall a part of it; from then on it ends: nothing new
 * is kept under it, and what is kept is dropped when the client has heard of it, or by itself when patience is over.
 * Confined to the worker.
 */
final class Lease {
    final long ino;
    final int kind;
    final LeaseClient client;
    private final List<byte[]> asked = new ArrayList<>(0);
    private final List<byte[]> dropped = new ArrayList<>(0);
    private long endNanos;
    private long heardBefore;
    private boolean ending;
    private boolean over;

    Lease(long ino, int kind, LeaseClient client) {
        this.ino = ino;
        this.kind = kind;
        this.client = client;
    }

    boolean isEnding() {
        return ending;
    }

    void end(long atNanos) {
        ending = true;
        endNanos = atNanos;
        heardBefore = client.heard;
    }

    /** Whether the client was not heard since the lease began to end. */
    boolean isClientSilent() {
        return client.heard == heardBefore;
    }

    long endNanos() {
        return endNanos;
    }

    boolean isOver() {
        return over;
    }

    void over() {
        over = true;
    }

    boolean wasAsked(byte[] name) {
        return contains(asked, name);
    }

    void ask(byte[] name) {
        asked.add(name);
    }

    /** Whether the client has not said of everything that its kernel does not keep it any more. */
    boolean isUnanswered() {
        return asked.size() > dropped.size();
    }

    /** Whether the client has said that its kernel does not keep this any more. */
    boolean hasDropped(byte[] name) {
        return contains(dropped, name);
    }

    void dropped(byte[] name) {
        dropped.add(name);
    }

    private static boolean contains(List<byte[]> names, byte[] name) {
        for (int i = 0; i < names.size(); i++) {
            if (Arrays.equals(names.get(i), name)) {
                return true;
            }
        }
        return false;
    }
}
