package org.octofs.server.server;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.medium.Media;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.server.lease.LeaseWords;

/**
 * The parts of the pool that others reach one-sidedly, in regions of at most 1 GiB: clients read METADATA and the lease words, and use DATA; other
 * servers write METADATA and LOCK_TABLE as well, for the dispatch of their transactions.
 * Threading:  confined to the worker.
 * Ownership:  owns the regions; the medium must outlive them.
 */
public final class ExportedRegions implements AutoCloseable {
    /** METADATA, read-only: for clients. */
    public static final int KIND_METADATA = 0;

    /** DATA, read-write: for clients. */
    public static final int KIND_DATA = 1;

    /** METADATA, read-write: for servers. */
    public static final int KIND_METADATA_WRITE = 2;

    /** LOCK_TABLE, read-write: for servers. */
    public static final int KIND_LOCK_TABLE = 3;

    /** The words by which clients see that they were told of all recalls, read-only: for clients. */
    public static final int KIND_LEASE_WORDS = 4;

    private final List<Exported> regions = new ArrayList<>();

    /**
     * One region.
     *
     * @param kind one of the constants here
     * @param poolOffset where it begins
     */
    public record Exported(int kind, long poolOffset, MemoryRegion region) {
        /** Whether it is meant for another server only. */
        public boolean isForServers() {
            return kind == KIND_METADATA_WRITE || kind == KIND_LOCK_TABLE;
        }
    }

    /** Registers everything with a fabric; registers nothing if that fails. */
    public ExportedRegions(Fabric fabric, PmemPool pool, boolean hasPeers) throws FabricException {
        try {
            export(fabric, pool, ZoneKind.METADATA, KIND_METADATA, Access.readOnly());
            export(fabric, pool, ZoneKind.DATA, KIND_DATA, Access.readWrite());
            long words = pool.zone(ZoneKind.SESSION_TABLE).endOffset() - LeaseWords.AREA_BYTES;
            export(fabric, pool, words, LeaseWords.AREA_BYTES, KIND_LEASE_WORDS, Access.readOnly());
            if (hasPeers) {
                export(fabric, pool, ZoneKind.METADATA, KIND_METADATA_WRITE, Access.readWrite());
                export(fabric, pool, ZoneKind.LOCK_TABLE, KIND_LOCK_TABLE, Access.readWrite());
            }
        } catch (FabricException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private void export(Fabric fabric, PmemPool pool, ZoneKind zoneKind, int kind, Set<Access> access)
            throws FabricException {
        Zone zone = pool.zone(zoneKind);
        export(fabric, pool, zone.offset(), zone.lengthBytes(), kind, access);
    }

    private void export(Fabric fabric, PmemPool pool, long startOffset, long lengthBytes, int kind, Set<Access> access)
            throws FabricException {
        PmemMedium medium = pool.medium();
        // Another process cannot map parts of a DAX device by their offset: shared memory is not for that.
        // A medium in memory has no path at all.
        Path file = medium.path() == null || Media.isDevice(medium.path()) ? null : medium.path();
        for (long at = 0; at < lengthBytes; at += MemoryRegion.LENGTH_BYTES_MAX) {
            long offset = startOffset + at;
            long length = Math.min(MemoryRegion.LENGTH_BYTES_MAX, lengthBytes - at);
            MemoryRegion region = fabric.register(medium.memory().asSlice(offset, length), file, offset, access);
            regions.add(new Exported(kind, offset, region));
        }
    }

    /** Lets the other end of a connection use what is meant for it. */
    public void grant(Connection connection, boolean toServer) {
        for (Exported exported : regions) {
            if (toServer || !exported.isForServers()) {
                connection.grant(exported.region());
            }
        }
    }

    /** Takes everything back from the other end of a connection. */
    public void revoke(Connection connection) {
        for (Exported exported : regions) {
            connection.revoke(exported.region());
        }
    }

    /** All regions. */
    public List<Exported> all() {
        return regions;
    }

    @Override
    public void close() {
        for (int i = regions.size() - 1; i >= 0; i--) {
            regions.get(i).region().close();
        }
        regions.clear();
    }
}
