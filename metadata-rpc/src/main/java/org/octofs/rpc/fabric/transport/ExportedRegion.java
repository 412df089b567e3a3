package org.octofs.rpc.fabric.transport;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.RemoteRegion;
import org.octofs.rpc.fabric.host.SharedMemory;

/** A region of this process. Threading: any; changes of grants are serialised by the region's monitor. */
public final class ExportedRegion implements MemoryRegion {
    private final RegionTable table;
    private final MemorySegment memory;
    private final Path file;
    private final long fileOffset;
    private final Set<Access> access;
    private final SharedMemory owned;
    private final long instance;
    private final Map<AbstractConnection, Integer> grants = new HashMap<>();
    private volatile long rkey;
    private boolean closed;

    ExportedRegion(
            RegionTable table,
            long rkey,
            MemorySegment memory,
            Path file,
            long fileOffset,
            Set<Access> access,
            SharedMemory owned,
            long instance) {
        this.table = table;
        this.rkey = rkey;
        this.memory = memory;
        this.file = file;
        this.fileOffset = fileOffset;
        this.access = access;
        this.owned = owned;
        this.instance = instance;
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public long lengthBytes() {
        return memory.byteSize();
    }

    @Override
    public Set<Access> access() {
        return access;
    }

    @Override
    public long rkey() {
        return rkey;
    }

    /** The file by which a process of this host maps the region, or null. */
    public Path file() {
        return file;
    }

    /** Where the region begins in its file. */
    public long fileOffset() {
        return fileOffset;
    }

    /** Number that no other region of this process has or had; indices and descriptors are used again. */
    public long instance() {
        return instance;
    }

    /** Index in the table; stays the same for the life of the region. */
    public int index() {
        return RemoteRegion.indexOf(rkey);
    }

    @Override
    public synchronized long renew() {
        checkOpen();
        rkey = table.nextRkey(index());
        grants.forEach((connection, bits) -> connection.noteGrant(this, bits));
        return rkey;
    }

    synchronized void grantTo(AbstractConnection connection, int accessBits) {
        checkOpen();
        grants.put(connection, accessBits);
        connection.noteGrant(this, accessBits);
    }

    synchronized void revokeFrom(AbstractConnection connection) {
        if (grants.remove(connection) != null) {
            connection.noteRevoke(this);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            grants.keySet().forEach(connection -> connection.noteRevoke(this));
            grants.clear();
            table.remove(this);
        }
        if (owned != null) {
            owned.close();
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the memory region is closed");
        }
    }
}
