package org.octofs.tests.simulation.net;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.RemoteRegion;

/** Exported memory of the simulation. A fresh generation counts up from a random one, as in the product. */
final class SimRegion implements MemoryRegion {
    private final SimFabric fabric;
    private final MemorySegment memory;
    private final Set<Access> access;
    private final int index;

    /** Where it begins in the file behind it, -1 if there is none. */
    final long fileOffset;

    private int generation;
    private boolean closed;

    SimRegion(SimFabric fabric, int index, int generation, MemorySegment memory, Set<Access> access, long fileOffset) {
        this.fabric = fabric;
        this.index = index;
        this.generation = generation;
        this.memory = memory;
        this.access = Set.copyOf(access);
        this.fileOffset = fileOffset;
    }

    int index() {
        return index;
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
        return RemoteRegion.rkey(index, generation);
    }

    @Override
    public long renew() {
        if (closed) {
            throw new IllegalStateException("the memory region is closed");
        }
        generation++;
        return rkey();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            fabric.remove(this);
        }
    }
}
