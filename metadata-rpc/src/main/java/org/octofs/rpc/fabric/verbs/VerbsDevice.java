package org.octofs.rpc.fabric.verbs;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricException.Reason;
import org.octofs.rpc.fabric.transport.ExportedRegion;
import org.octofs.rpc.fabric.transport.RegionTable;
import org.octofs.rpc.fabric.verbs.provider.ForeignVerbs;
import org.octofs.rpc.fabric.verbs.provider.NativeContext;
import org.octofs.rpc.fabric.verbs.provider.VerbsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device as one fabric uses it: one protection domain, in which every region is registered once.
 *
 * <p>Threading: any. Ownership: owns the domain; registrations belong to their regions and go with them.
 */
final class VerbsDevice {
    private static final Logger LOG = LoggerFactory.getLogger(VerbsDevice.class);

    private final ForeignVerbs verbs;
    private final NativeContext context;
    private final ForeignVerbs.DeviceLimits limits;
    private final RegionTable regions;
    private final IbvPd pd;

    /** Registered memory of a region. */
    record Registration(ForeignVerbs verbs, IbvMr memory) implements AutoCloseable {
        int lkey() {
            return memory.getLkey();
        }

        @Override
        public void close() {
            try {
                verbs.deregMr(memory).execute();
            } catch (IOException e) {
                LOG.warn("cannot deregister memory: {}", e.getMessage());
            }
        }
    }

    VerbsDevice(ForeignVerbs verbs, NativeContext context, RegionTable regions) throws IOException {
        this.verbs = verbs;
        this.context = context;
        this.limits = verbs.limits(context);
        this.regions = regions;
        this.pd = verbs.allocPd(context);
    }

    NativeContext context() {
        return context;
    }

    ForeignVerbs verbs() {
        return verbs;
    }

    ForeignVerbs.DeviceLimits limits() {
        return limits;
    }

    IbvPd pd() {
        return pd;
    }

    /**
     * The registration of a region, made at the first call.
     *
     * @throws FabricException in words when the memory cannot be registered
     */
    Registration register(ExportedRegion region) throws FabricException {
        Registration known = region.registration(this, Registration.class);
        if (known != null) {
            return known;
        }
        try {
            return region.register(this, Registration.class, () -> registerMemory(region.memory()));
        } catch (IOException e) {
            throw new FabricException(Reason.RESOURCES, explain(region, e), e);
        }
    }

    private static String explain(ExportedRegion region, IOException e) {
        String what = region.file() == null ? "memory" : "the memory of " + region.file();
        int errno = e instanceof VerbsException failure ? failure.errno() : 0;
        return switch (errno) {
            case VerbsException.EOPNOTSUPP ->
                what
                        + " cannot be registered for RDMA: Linux does not let a network card hold pages of a DAX file system"
                        + " for long. Put the pool into memory (/dev/shm), or use another transport";
            case VerbsException.ENOMEM ->
                what + " cannot be registered for RDMA: " + e.getMessage()
                        + ". Raise the limit of locked memory (ulimit -l unlimited, or LimitMEMLOCK=infinity)";
            default -> what + " cannot be registered for RDMA: " + e.getMessage();
        };
    }

    Registration registerMemory(MemorySegment memory) throws IOException {
        int access = IbvMr.IBV_ACCESS_MW_BIND | (memory.isReadOnly() ? 0 : IbvMr.IBV_ACCESS_LOCAL_WRITE);
        // At most 1 GiB, see MemoryRegion.
        int length = Math.toIntExact(memory.byteSize());
        return new Registration(
                verbs,
                verbs.regMr(pd, memory.address(), length, access).execute().getMr());
    }

    /**
     * The local key of memory that lies in a region of this process.
     *
     * @return null when it does not; then it has to be copied
     */
    Registration find(long address, long lengthBytes) {
        ExportedRegion region = regions.containing(address, lengthBytes);
        if (region == null) {
            return null;
        }
        try {
            return register(region);
        } catch (FabricException | IllegalStateException e) {
            LOG.debug("copying instead: {}", e.getMessage());
            return null;
        }
    }

    void close() {
        try {
            verbs.deallocPd(pd);
        } catch (IOException e) {
            LOG.warn("cannot free a protection domain: {}", e.getMessage());
        }
    }
}
