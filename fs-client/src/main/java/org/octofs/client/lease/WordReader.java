package org.octofs.client.lease;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.client.link.Scratch;
import org.octofs.client.link.ScratchPool;
import org.octofs.client.link.VerbBatch;

/** One-sided READs of this client's words at homes. Thread-safe. */
final class WordReader {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int KEPT = 16;

    private final ScratchPool<Context> contexts;

    private static final class Context extends Scratch {
        private final MemorySegment word = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);

        Context(Links links) {
            super(links, VerbBatch.METADATA_CAPACITY);
        }
    }

    WordReader(Links links) {
        this.contexts = new ScratchPool<>(KEPT, () -> new Context(links));
    }

    /** Reads a word of a node's pool. */
    long read(int node, long poolOffset) throws FsException {
        Context context = contexts.borrow();
        try {
            context.verbs.read(node, poolOffset, context.word, 0, Long.BYTES);
            context.verbs.run(context.deadline);
            return context.word.get(LONG, 0);
        } finally {
            contexts.giveBack(context);
        }
    }
}
