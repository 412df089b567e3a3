package org.octofs.rpc.fabric.transport;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.RemoteRegion;
import org.octofs.rpc.fabric.host.SharedMemory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A region of this process. Threading: any; changes of grants are serialised by the region's monitor. */
public final class ExportedRegion implements MemoryRegion {
    private static final Logger LOG = LoggerFactory.getLogger(ExportedRegion.class);

    private final RegionTable table;
    private final MemorySegment memory;
    private final Path file;
    private final long fileOffset;
    private final Set<Access> access;
    private final SharedMemory owned;
    private final long instance;
    private final Map<AbstractConnection, Integer> grants = new HashMap<>();
    /** By who made them; written under the monitor. */
    private final Map<Object, AutoCloseable> registrations = new ConcurrentHashMap<>();

    private volatile long rkey;
    private volatile boolean closed;

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

    /** Makes a registration of the memory with a device. */
    @FunctionalInterface
    public interface Registrar<T extends AutoCloseable> {
        /** Makes it. */
        T register() throws IOException;
    }

    /** A device's registration of this memory, or null when there is none. */
    public <T extends AutoCloseable> T registration(Object device, Class<T> type) {
        return type.cast(registrations.get(device));
    }

    /** A device's registration, made at the first call; it is closed with the region, before the memory goes. */
    public synchronized <T extends AutoCloseable> T register(Object device, Class<T> type, Registrar<T> registrar)
            throws IOException {
        checkOpen();
        AutoCloseable known = registrations.get(device);
        if (known == null) {
            known = registrar.register();
            registrations.put(device, known);
        }
        return type.cast(known);
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
            registrations.values().forEach(ExportedRegion::close);
            registrations.clear();
        }
        if (owned != null) {
            owned.close();
        }
    }

    private static void close(AutoCloseable registration) {
        try {
            registration.close();
        } catch (Exception e) {
            LOG.warn("cannot take back a registration of memory: {}", e.getMessage());
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the memory region is closed");
        }
    }
}
