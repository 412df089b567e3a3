package org.octofs.client.lease;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.client.link.VerbBatch;

/** One-sided READs of this client's words at homes. Thread-safe. */
final class WordReader {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int KEPT = 16;

    private final Links links;
    private final AtomicReferenceArray<Context> free = new AtomicReferenceArray<>(KEPT);

    private static final class Context {
        private final VerbBatch verbs;
        private final MemorySegment word = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);

        Context(Links links) {
            verbs = new VerbBatch(links, VerbBatch.METADATA_CAPACITY);
        }
    }

    WordReader(Links links) {
        this.links = links;
    }

    /** Reads a word of a node's pool. */
    long read(int node, long poolOffset) throws FsException {
        int from = (int) Thread.currentThread().threadId() & KEPT - 1;
        Context context = free.getAndSet(from, null);
        if (context == null) {
            context = new Context(links);
        }
        context.verbs.read(node, poolOffset, context.word, 0, Long.BYTES);
        context.verbs.run(links.deadline());
        long word = context.word.get(LONG, 0);
        context.verbs.clear();
        // After a failure it is not used again: the fabric may own its memory.
        free.set(from, context);
        return word;
    }
}
