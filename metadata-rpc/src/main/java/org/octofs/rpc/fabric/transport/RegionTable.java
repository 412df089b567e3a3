package org.octofs.rpc.fabric.transport;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricException.Reason;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.RemoteRegion;
import org.octofs.rpc.fabric.host.HostException;
import org.octofs.rpc.fabric.host.SharedMemory;

/**
 * The regions that a process exports, by index.
 *
 * <p>An index is reused late and with a new generation; the first generation is random, so that rkeys of an earlier
 * process of the same address fail. Threading: any. Limits: {@link ConnectionPageLayout#REGION_COUNT} at a time.
 */
public final class RegionTable {
    private final AtomicReferenceArray<ExportedRegion> regions =
            new AtomicReferenceArray<>(ConnectionPageLayout.REGION_COUNT);
    private final int[] generations = new int[ConnectionPageLayout.REGION_COUNT];
    private final ArrayDeque<Integer> freeIndices = new ArrayDeque<>();
    /** By address of the first byte; replaced as a whole at each change, so that looking allocates nothing. */
    private volatile ExportedRegion[] byAddress = {};

    private long instances;

    /** An empty table. */
    public RegionTable(LongSupplier random) {
        for (int index = 0; index < generations.length; index++) {
            generations[index] = (int) random.getAsLong();
            freeIndices.addLast(index);
        }
    }

    /** Makes and exports zeroed memory; see {@link org.octofs.rpc.fabric.Fabric#allocate}. */
    public ExportedRegion allocate(long lengthBytes, Set<Access> access) throws FabricException {
        checkLength(lengthBytes);
        SharedMemory shared;
        try {
            shared = SharedMemory.create("region", lengthBytes);
        } catch (HostException e) {
            throw new FabricException(Reason.RESOURCES, e.getMessage(), e);
        }
        try {
            return export(shared.memory(), shared.peerPath(), 0, access, shared);
        } catch (FabricException e) {
            shared.close();
            throw e;
        }
    }

    /** Exports memory of the caller's; see {@link org.octofs.rpc.fabric.Fabric#register}. */
    public ExportedRegion register(MemorySegment memory, Path file, long fileOffset, Set<Access> access)
            throws FabricException {
        checkLength(memory.byteSize());
        if (!memory.isNative()) {
            throw new IllegalArgumentException("only native or mapped memory can be registered");
        }
        if (memory.isReadOnly() && access.contains(Access.REMOTE_WRITE)) {
            throw new IllegalArgumentException("read-only memory cannot be registered for remote writes");
        }
        if (fileOffset < 0 || fileOffset % SharedMemory.PAGE_BYTES != 0) {
            throw new IllegalArgumentException(
                    "file offset " + fileOffset + " is not a multiple of " + SharedMemory.PAGE_BYTES);
        }
        return export(memory, file, fileOffset, access, null);
    }

    private synchronized ExportedRegion export(
            MemorySegment memory, Path file, long fileOffset, Set<Access> access, SharedMemory owned)
            throws FabricException {
        Integer index = freeIndices.pollFirst();
        if (index == null) {
            throw new FabricException(
                    Reason.RESOURCES,
                    "more than " + ConnectionPageLayout.REGION_COUNT + " memory regions are registered at a time");
        }
        long rkey = nextRkey(index);
        ExportedRegion region =
                new ExportedRegion(this, rkey, memory, file, fileOffset, Set.copyOf(access), owned, ++instances);
        regions.set(index, region);
        ExportedRegion[] changed = Arrays.copyOf(byAddress, byAddress.length + 1);
        changed[byAddress.length] = region;
        Arrays.sort(changed, Comparator.comparingLong(each -> each.memory().address()));
        byAddress = changed;
        return region;
    }

    synchronized long nextRkey(int index) {
        return RemoteRegion.rkey(index, ++generations[index]);
    }

    synchronized void remove(ExportedRegion region) {
        int index = RemoteRegion.indexOf(region.rkey());
        regions.set(index, null);
        byAddress = Arrays.stream(byAddress).filter(other -> other != region).toArray(ExportedRegion[]::new);
        freeIndices.addLast(index);
    }

    /** The region that an rkey names now, or null. */
    public ExportedRegion find(long rkey) {
        int index = RemoteRegion.indexOf(rkey);
        if (index < 0 || index >= regions.length()) {
            return null;
        }
        ExportedRegion region = regions.get(index);
        return region == null || region.rkey() != rkey ? null : region;
    }

    /** A region that a range of memory lies in, or null. Where regions overlap, it may miss it. */
    public ExportedRegion containing(long address, long lengthBytes) {
        ExportedRegion[] sorted = byAddress;
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle].memory().address() <= address) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low == 0) {
            return null;
        }
        ExportedRegion region = sorted[low - 1];
        return address + lengthBytes <= region.memory().address() + region.lengthBytes() ? region : null;
    }

    /** Closes what is still open. */
    public void closeAll() {
        for (ExportedRegion region : list()) {
            region.close();
        }
    }

    /** Number of open regions, for leak tests. */
    public int openCount() {
        return list().size();
    }

    private List<ExportedRegion> list() {
        List<ExportedRegion> list = new ArrayList<>();
        for (int index = 0; index < regions.length(); index++) {
            ExportedRegion region = regions.get(index);
            if (region != null) {
                list.add(region);
            }
        }
        return list;
    }

    private static void checkLength(long lengthBytes) {
        Objects.checkIndex(lengthBytes - 1, MemoryRegion.LENGTH_BYTES_MAX);
    }
}
