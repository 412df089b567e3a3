package org.octofs.server.check;

import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.server.store.PageKind;

/** The PAGE_TABLE zone: what each metadata page is. Confined to the check. */
final class PageTableCheck {
    private PageTableCheck() {}

    /** Checks one pool, and remembers the kinds. */
    static void run(PoolView pool, Findings findings) {
        for (int page = 0; page < pool.pageCount(); page++) {
            long word = pool.readLong(pool.pageWordOffset(page));
            if (word >= PageKind.FREE && word <= PageKind.DENTRY_LARGE) {
                pool.kind(page, (int) word);
                continue;
            }
            long at = pool.pageWordOffset(page);
            int guess = guess(pool, page);
            pool.kind(page, guess);
            findings.error(
                    pool.node(),
                    0,
                    at,
                    "the page table has the word 0x" + Long.toHexString(word) + " for metadata page " + page
                            + ", which is no kind of page",
                    "by its content it is " + NAMES[guess] + ", and the table is set to that",
                    Findings.Stage.STRUCTURE,
                    () -> Mender.word(pool, at, guess));
        }
    }

    private static final String[] NAMES = {
        "a page without slots", "a page of inodes", "a page of short names", "a page of long names"
    };

    /** What a page seems to be: the kind whose magic words are found most often where they would be. */
    private static int guess(PoolView pool, int page) {
        int best = PageKind.FREE;
        int most = 0;
        for (int kind = PageKind.INODE; kind <= PageKind.DENTRY_LARGE; kind++) {
            int magicOffset = kind == PageKind.INODE ? InodeLayout.MAGIC_OFFSET : DentryLayout.MAGIC_OFFSET;
            int magic = kind == PageKind.INODE ? InodeLayout.MAGIC : DentryLayout.MAGIC;
            int found = 0;
            for (int slot = 0; slot < PageKind.slotCount(kind); slot++) {
                long offset = pool.pageOffset(page) + (long) slot * PageKind.slotBytes(kind) + magicOffset;
                found += pool.readInt(offset) == magic ? 1 : 0;
            }
            if (found > most) {
                most = found;
                best = kind;
            }
        }
        return best;
    }
}
