package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Mw;

/**
 * A part of registered memory that one queue pair may be given: an rkey of its own, which works on that queue pair only and
 * is taken back at once by freeing the window. Ownership: whoever allocated it frees it, before the memory is deregistered.
 */
public final class MemoryWindow {
    private static final int KEY_MASK = 0xFF;

    final MemorySegment pointer;
    final NativeContext device;
    private final int rkey;

    MemoryWindow(NativeContext device, MemorySegment pointer) {
        this.device = device;
        this.pointer = pointer;
        int first = pointer.get(JAVA_INT, Mw.RKEY);
        // The low eight bits are the owner's choice, but have to be others at each bind.
        this.rkey = (first & ~KEY_MASK) | ((first + 1) & KEY_MASK);
    }

    /** The key of the peer, once it is bound. */
    public int rkey() {
        return rkey;
    }
}
