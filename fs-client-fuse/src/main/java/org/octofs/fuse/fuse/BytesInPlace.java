package org.octofs.fuse.fuse;

import java.lang.foreign.MemorySegment;

/** Where the bytes of a read lie, see {@link FuseOperations#readInPlace}. Native memory. */
public final class BytesInPlace {
    public MemorySegment memory = MemorySegment.NULL;
    public long offset;
}
