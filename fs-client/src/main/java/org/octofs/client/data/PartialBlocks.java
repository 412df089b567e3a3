package org.octofs.client.data;

import java.util.ArrayDeque;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The partly written blocks of one file. Guarded by the file's lock. Limits: {@link #CAPACITY}. Keeps emptied blocks for
 * the next ones.
 */
final class PartialBlocks {
    /** Most blocks; each takes a page of memory. */
    static final int CAPACITY = 256;

    private static final int SPARE_MAX = 4;

    private final Long2ObjectHashMap<PartialBlock> blocks = new Long2ObjectHashMap<>(8, 0.65f);
    private final ArrayDeque<PartialBlock> spare = new ArrayDeque<>(SPARE_MAX);

    int count() {
        return blocks.size();
    }

    boolean isEmpty() {
        return blocks.isEmpty();
    }

    PartialBlock get(long fileBlock) {
        return blocks.isEmpty() ? null : blocks.get(fileBlock);
    }

    PartialBlock begin(long fileBlock, long location) {
        PartialBlock block = spare.isEmpty() ? new PartialBlock() : spare.pop();
        block.begin(fileBlock, location);
        blocks.put(fileBlock, block);
        return block;
    }

    void remove(long fileBlock) {
        keep(blocks.remove(fileBlock));
    }

    Iterable<PartialBlock> all() {
        return blocks.values();
    }

    void clear() {
        if (!blocks.isEmpty()) {
            blocks.values().forEach(this::keep);
            blocks.clear();
        }
    }

    private void keep(PartialBlock block) {
        if (block != null && spare.size() < SPARE_MAX) {
            spare.push(block);
        }
    }
}
