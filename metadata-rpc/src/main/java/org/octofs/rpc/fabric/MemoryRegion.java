package org.octofs.rpc.fabric;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Memory of this process that peers may be granted.
 *
 * <p>Threading: all methods from any thread. Ownership: the caller of {@link Fabric#allocate} or {@link Fabric#register}
 * owns it and closes it; registered memory stays the caller's, who unmaps it only after the close. Durability: none.
 */
public interface MemoryRegion extends AutoCloseable {
    /** Largest region, in bytes: the largest length that every transport can register. */
    long LENGTH_BYTES_MAX = 1L << 30;

    /** The memory. Allocated memory becomes inaccessible at {@link #close}. */
    MemorySegment memory();

    /** Length in bytes. */
    long lengthBytes();

    /** The most that can be granted of this region. */
    Set<Access> access();

    /** The key that peers use now. Changes with {@link #renew}. */
    long rkey();

    /** What to tell a peer about this region. */
    default RemoteRegion remote() {
        return new RemoteRegion(rkey(), lengthBytes());
    }

    /**
     * Gives the region a new generation: every rkey told before stops working on every connection, grants stay and are
     * good for the new rkey. Operations of a shm peer that are running at this instant may still finish; see
     * {@link Connection#isQuiet}.
     *
     * @return the new rkey
     */
    long renew();

    /** Takes the region back from all peers and, if it was allocated, frees it. Idempotent. */
    @Override
    void close();
}
