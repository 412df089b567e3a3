package org.octofs.client.client;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.octofs.client.cache.SlotCache;
import org.octofs.client.data.InodeImages;
import org.octofs.client.link.Links;
import org.octofs.client.link.Scratch;
import org.octofs.client.link.ScratchPool;
import org.octofs.client.link.VerbBatch;
import org.octofs.rpc.protocol.InodeLayout;

/** One-sided READs of inode slots whose place is known. Thread-safe. */
final class SlotReader {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int KEPT = 32;

    private final Links links;
    private final SlotCache slots;
    private final ScratchPool<Context> contexts;

    SlotReader(Links links, SlotCache slots) {
        this.links = links;
        this.slots = slots;
        this.contexts = new ScratchPool<>(KEPT, () -> new Context(links));
    }

    /** Takes an image while it is in scratch memory. */
    @FunctionalInterface
    interface Taker {
        void take(MemorySegment image);
    }

    private static final class Context extends Scratch {
        private final MemorySegment image = Arena.ofAuto().allocate(InodeLayout.SIZE_BYTES, InodeLayout.SIZE_BYTES);
        private final MemorySegment version = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);

        Context(Links links) {
            super(links, VerbBatch.METADATA_CAPACITY);
        }
    }

    /** Reads an inode's image; false if its place is unknown or it could not be read in one piece. */
    boolean read(long ino, Taker taker) throws FsException {
        long slot = slots.get(ino);
        if (slot == 0) {
            return false;
        }
        Context context = contexts.borrow();
        try {
            context.verbs.read(links.homeOf(ino), slot, context.image, 0, InodeLayout.SIZE_BYTES);
            context.verbs.run(context.deadline);
            if (!InodeImages.isOf(context.image, ino)) {
                return false;
            }
            taker.take(context.image);
            return true;
        } finally {
            contexts.giveBack(context);
        }
    }

    /** Whether a directory still has a version; the image of {@code child} (0: none) is read with it. */
    enum Check {
        /** The directory has changed, or it is not known. */
        STALE,
        /** The directory has not changed, but the child's image could not be read. */
        VALID,
        /** The directory has not changed, and the image was taken. */
        VALID_WITH_IMAGE
    }

    Check check(long directory, long version, long child, Taker taker, long deadline) throws FsException {
        long slot = slots.get(directory);
        if (slot == 0) {
            return Check.STALE;
        }
        long childSlot = child == 0 ? 0 : slots.get(child);
        Context context = contexts.borrow();
        try {
            context.verbs.read(links.homeOf(directory), slot, context.version, 0, Long.BYTES);
            if (childSlot != 0) {
                context.verbs.read(links.homeOf(child), childSlot, context.image, 0, InodeLayout.SIZE_BYTES);
            }
            context.verbs.run(deadline);
            if (context.version.get(LONG, 0) != version) {
                return Check.STALE;
            }
            if (childSlot == 0 || !InodeImages.isOf(context.image, child)) {
                return Check.VALID;
            }
            taker.take(context.image);
            return Check.VALID_WITH_IMAGE;
        } finally {
            contexts.giveBack(context);
        }
    }
}
