package org.octofs.rpc.fabric.transport;

import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.ACTIVITY_COUNT;
import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.ACTIVITY_OFFSET;
import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.ACTIVITY_STRIDE_BYTES;
import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.GRANTS_OFFSET;
import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.MAGIC;
import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.MAGIC_OFFSET;
import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.REGION_COUNT;
import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.REGION_COUNT_OFFSET;
import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.SIZE_BYTES;
import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.STATE_OFFSET;
import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.STATE_OPEN;
import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.TOKEN_OFFSET;
import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.VERSION;
import static org.octofs.rpc.fabric.transport.ConnectionPageLayout.VERSION_OFFSET;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.octofs.rpc.fabric.RemoteRegion;

/**
 * One side's page of a connection; see the layout for what its words mean.
 *
 * <p>Threading: any. Ownership: the memory is the creator's; when that is closed, the methods throw
 * IllegalStateException, which whoever may race with a close takes for a failed connection.
 */
public final class ConnectionPage {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final MemorySegment memory;

    private ConnectionPage(MemorySegment memory) {
        this.memory = memory;
    }

    /** Makes a page in zeroed memory of {@link ConnectionPageLayout#SIZE_BYTES}. */
    public static ConnectionPage create(MemorySegment zeroedMemory, long tokenHigh, long tokenLow) {
        zeroedMemory.set(ValueLayout.JAVA_INT, VERSION_OFFSET, VERSION);
        zeroedMemory.set(ValueLayout.JAVA_INT, REGION_COUNT_OFFSET, REGION_COUNT);
        zeroedMemory.set(ValueLayout.JAVA_LONG, TOKEN_OFFSET, tokenHigh);
        zeroedMemory.set(ValueLayout.JAVA_LONG, TOKEN_OFFSET + Long.BYTES, tokenLow);
        LONG.setRelease(zeroedMemory, (long) MAGIC_OFFSET, MAGIC);
        return new ConnectionPage(zeroedMemory);
    }

    /**
     * Looks at a peer's page.
     *
     * @throws IllegalArgumentException if it is no page of this version, or not the one with the token
     */
    public static ConnectionPage open(MemorySegment memory, long tokenHigh, long tokenLow) {
        if (memory.byteSize() < SIZE_BYTES
                || (long) LONG.getAcquire(memory, (long) MAGIC_OFFSET) != MAGIC
                || memory.get(ValueLayout.JAVA_INT, VERSION_OFFSET) != VERSION
                || memory.get(ValueLayout.JAVA_INT, REGION_COUNT_OFFSET) != REGION_COUNT) {
            throw new IllegalArgumentException("no connection page of version " + VERSION);
        }
        if (memory.get(ValueLayout.JAVA_LONG, TOKEN_OFFSET) != tokenHigh
                || memory.get(ValueLayout.JAVA_LONG, TOKEN_OFFSET + Long.BYTES) != tokenLow) {
            throw new IllegalArgumentException("the connection page carries another token than the peer told");
        }
        return new ConnectionPage(memory);
    }

    /** Own page: grants count from now on. */
    public void markOpen() {
        INT.setVolatile(memory, (long) STATE_OFFSET, STATE_OPEN);
    }

    /** Own page: nothing is granted any more. */
    public void markClosed() {
        INT.setVolatile(memory, (long) STATE_OFFSET, ConnectionPageLayout.STATE_CLOSED);
    }

    /** True while the side whose page this is considers the connection open. */
    public boolean isOpen() {
        return (int) INT.getVolatile(memory, (long) STATE_OFFSET) == STATE_OPEN;
    }

    /** Own page: grants a region. */
    void grant(long rkey, int accessBits) {
        long word = ((long) RemoteRegion.generationOf(rkey) << 32) | accessBits;
        LONG.setVolatile(memory, grantOffset(RemoteRegion.indexOf(rkey)), word);
    }

    /** Own page: takes a grant back. */
    void revoke(int regionIndex) {
        LONG.setVolatile(memory, grantOffset(regionIndex), 0L);
    }

    /**
     * Whether the side whose page this is grants an access. To be asked between {@link #enter} and {@link #exit} on the
     * page of the side that operates.
     */
    public boolean grants(long rkey, int accessBit) {
        int index = RemoteRegion.indexOf(rkey);
        if (index < 0 || index >= REGION_COUNT || !isOpen()) {
            return false;
        }
        long word = (long) LONG.getVolatile(memory, grantOffset(index));
        return (int) (word >>> 32) == RemoteRegion.generationOf(rkey) && (word & accessBit) != 0;
    }

    /** Own page: an operation on the peer's memory begins. Answers what to give to {@link #exit}. */
    public int enter() {
        int stripe = (int) Thread.currentThread().threadId() & (ACTIVITY_COUNT - 1);
        long ignored = (long) LONG.getAndAdd(memory, activityOffset(stripe), 1L);
        return stripe;
    }

    /** Own page: an operation has ended. */
    public void exit(int stripe) {
        long ignored = (long) LONG.getAndAdd(memory, activityOffset(stripe), -1L);
    }

    /** Peer's page: a bit for each activity word that is zero now; {@link #ALL_QUIET} when nothing is running. */
    int quietStripes() {
        int quiet = 0;
        for (int stripe = 0; stripe < ACTIVITY_COUNT; stripe++) {
            if ((long) LONG.getVolatile(memory, activityOffset(stripe)) == 0) {
                quiet |= 1 << stripe;
            }
        }
        return quiet;
    }

    static final int ALL_QUIET = (1 << ACTIVITY_COUNT) - 1;

    private static long grantOffset(int regionIndex) {
        return GRANTS_OFFSET + (long) regionIndex * Long.BYTES;
    }

    private static long activityOffset(int stripe) {
        return ACTIVITY_OFFSET + (long) stripe * ACTIVITY_STRIDE_BYTES;
    }
}
