package org.octofs.rpc.fabric;

import java.util.EnumSet;
import java.util.Set;

/** What a peer may do with granted memory. The bits travel on the wire and in shared grant tables. */
public enum Access {
    /** The peer may READ. */
    REMOTE_READ(1),
    /** The peer may WRITE and WRITE_WITH_IMM. */
    REMOTE_WRITE(2);

    /** Bit of this right in {@link #bits(Set)}. */
    public final int bit;

    Access(int bit) {
        this.bit = bit;
    }

    /** The set {REMOTE_READ, REMOTE_WRITE}. */
    public static Set<Access> readWrite() {
        return EnumSet.allOf(Access.class);
    }

    /** The set {REMOTE_READ}. */
    public static Set<Access> readOnly() {
        return EnumSet.of(REMOTE_READ);
    }

    /** The rights as a bit mask. */
    public static int bits(Set<Access> access) {
        int bits = 0;
        for (Access a : access) {
            bits |= a.bit;
        }
        return bits;
    }
}
