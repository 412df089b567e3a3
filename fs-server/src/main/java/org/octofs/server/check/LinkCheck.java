package org.octofs.server.check;

import java.util.BitSet;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.LongHashSet;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.check.Findings.Stage;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.PageKind;

/**
 * The tree as a whole: everything is reached from the root, a directory has one name and knows its parent, and link and entry
 * counts are what was counted.
 * Threading: confined to the check.
 */
final class LinkCheck {
    private final Cluster cluster;
    private final Findings findings;
    private final InodeIndex index;
    private final PathNames paths;
    private final LostAndFound lostAndFound;
    private final InodeRecord inode = new InodeRecord();
    private final BitSet reached = new BitSet();
    private final LongHashSet manyNames = new LongHashSet(0);
    private final boolean whole;

    LinkCheck(Cluster cluster, Findings findings, InodeIndex index, PathNames paths, LostAndFound lostAndFound) {
        this.cluster = cluster;
        this.findings = findings;
        this.index = index;
        this.paths = paths;
        this.lostAndFound = lostAndFound;
        boolean nothingLocked = true;
        for (int node = 0; node < cluster.nodeCount(); node++) {
            nothingLocked &= cluster.pool(node) == null
                    || cluster.pool(node).lockedSlots().isEmpty();
        }
        this.whole = cluster.isWhole() && nothingLocked;
    }

    void run() {
        root();
        for (int place = 0; place < index.places(); place++) {
            long ino = index.ino(place);
            if (ino != 0) {
                PoolView pool = cluster.homePool(ino);
                long slot = pool.slotOffset(index.slot(place));
                inode.wrap(pool.memory(), slot, slot);
                if (inode.isDirectory()) {
                    directory(pool, slot, place, ino);
                } else {
                    file(pool, slot, place, ino);
                }
            }
        }
        if (!manyNames.isEmpty()) {
            removeNames();
        }
    }

    private void root() {
        PoolView pool = cluster.homePool(InodeNumber.ROOT);
        if (pool == null || !pool.lockedSlots().isEmpty()) {
            return;
        }
        int place = index.find(InodeNumber.ROOT);
        if (place < 0) {
            if (index.size() > 0) {
                findings.error(
                        pool.node(),
                        InodeNumber.ROOT,
                        0,
                        "there is no root directory",
                        "it is made anew, with the names that are left",
                        Stage.STRUCTURE,
                        () -> LostAndFound.makeRoot(pool));
            } else {
                findings.note(pool.node(), "the file system is empty: no server has made the root directory yet");
            }
            return;
        }
        long slot = pool.slotOffset(index.slot(place));
        if (!FileMode.isDirectory(pool.mode(slot))) {
            findings.error(
                    pool.node(),
                    InodeNumber.ROOT,
                    slot,
                    "the root is no directory",
                    "it is cleared, and made anew",
                    Stage.STRUCTURE,
                    () -> Mender.clearInode(pool, slot));
        }
    }

    // ------------------------------------------------------------------------------------------------ files

    private void file(PoolView pool, long slot, int place, long ino) {
        int names = index.names(place);
        int nlink = inode.nlink();
        if (nlink == names || (!whole && names < nlink)) {
            return;
        }
        if (names == 0) {
            lost(pool, slot, ino, "a file", 1);
        } else {
            findings.error(
                    pool.node(),
                    ino,
                    slot,
                    paths.name(ino) + " has the link count " + nlink + " and " + names
                            + (names == 1 ? " name" : " names"),
                    "the count is corrected",
                    Stage.COUNT,
                    () -> Mender.inode(pool, slot, i -> i.nlink(names)));
        }
    }

    private void lost(PoolView pool, long slot, long ino, String what, int nlink) {
        findings.error(
                pool.node(),
                ino,
                slot,
                Cluster.name(ino) + " is " + what + " with the link count " + inode.nlink() + " and without a name",
                "it becomes /lost+found/#" + Long.toUnsignedString(ino),
                Stage.REACHABLE,
                () -> lostAndFound.attach(pool, slot, nlink));
    }

    // ------------------------------------------------------------------------------------------------ directories

    private void directory(PoolView pool, long slot, int place, long ino) {
        boolean root = ino == InodeNumber.ROOT;
        int names = index.names(place);
        if (names > (root ? 0 : 1)) {
            manyNames.add(ino);
        }
        if (names == 0 && !root) {
            boolean removed = inode.nlink() == 0 && index.entries(place) == 0;
            if (!removed && whole) {
                lost(pool, slot, ino, "a directory", 2 + index.subdirectories(place));
            }
            if (removed || whole) {
                return;
            }
        }
        if (names == 1 && !root) {
            parent(pool, slot, place, ino);
        } else if (root && inode.parent() != ino) {
            findings.error(
                    pool.node(),
                    ino,
                    slot,
                    "the root directory has " + Cluster.name(inode.parent()) + " as its parent",
                    "it becomes its own parent again",
                    Stage.COUNT,
                    () -> Mender.inode(pool, slot, i -> i.parent(ino)));
        }
        counts(pool, slot, place, ino);
    }

    private void parent(PoolView pool, long slot, int place, long ino) {
        long parent = parentByName(place);
        if (inode.parent() != parent) {
            findings.error(
                    pool.node(),
                    ino,
                    slot,
                    paths.name(ino) + " says that its parent is " + Cluster.name(inode.parent())
                            + ", but its name is in " + paths.name(parent),
                    "the parent is corrected",
                    Stage.COUNT,
                    () -> Mender.inode(pool, slot, i -> i.parent(parent)));
        }
        if (isInLoop(place)) {
            PoolView namePool = cluster.pool((int) (index.name(place) >>> 32));
            long dentry = namePool.slotOffset((int) index.name(place));
            findings.error(
                    pool.node(),
                    ino,
                    slot,
                    "the directory " + Cluster.name(ino) + " is inside itself",
                    "its name '" + namePool.dentryName(dentry) + "' is removed, and it becomes /lost+found/#"
                            + Long.toUnsignedString(ino),
                    Stage.REACHABLE,
                    () -> Mender.clearDentry(namePool, dentry));
        }
    }

    private long parentByName(int place) {
        long name = index.name(place);
        PoolView pool = cluster.pool((int) (name >>> 32));
        return pool.readLong(pool.slotOffset((int) name) + DentryLayout.PARENT_OFFSET);
    }

    /** Whether the way up from a directory comes back to itself. Each directory is walked over once in all. */
    private boolean isInLoop(int place) {
        IntArrayList way = new IntArrayList();
        int at = place;
        while (at >= 0 && !reached.get(at) && index.ino(at) != InodeNumber.ROOT && index.name(at) != 0) {
            reached.set(at);
            way.addInt(at);
            at = index.find(parentByName(at));
        }
        return at >= 0 && way.containsInt(at);
    }

    private void counts(PoolView pool, long slot, int place, long ino) {
        int nlink = 2 + index.subdirectories(place);
        if (inode.nlink() != nlink) {
            findings.error(
                    pool.node(),
                    ino,
                    slot,
                    "the directory " + paths.name(ino) + " has the link count " + inode.nlink() + " and "
                            + index.subdirectories(place) + " subdirectories",
                    "the count becomes " + nlink,
                    Stage.COUNT,
                    () -> Mender.inode(pool, slot, i -> i.nlink(nlink)));
        }
        int entries = index.entries(place);
        if (inode.entryCount() != entries) {
            findings.error(
                    pool.node(),
                    ino,
                    slot,
                    "the directory " + paths.name(ino) + " counts " + inode.entryCount() + " entries and has "
                            + entries,
                    "the count is corrected",
                    Stage.COUNT,
                    () -> Mender.inode(pool, slot, i -> i.entryCount(entries)));
        }
    }

    // ------------------------------------------------------------------------------------------------ too many names

    private void removeNames() {
        LongHashSet kept = new LongHashSet(0);
        for (int pass = 0; pass < 2; pass++) {
            for (int node = 0; node < cluster.nodeCount(); node++) {
                PoolView pool = cluster.pool(node);
                for (int page = 0; pool != null && page < pool.pageCount(); page++) {
                    int kind = pool.kind(page);
                    if (kind == PageKind.DENTRY_SMALL || kind == PageKind.DENTRY_LARGE) {
                        for (int slot = 0; slot < PageKind.slotCount(kind); slot++) {
                            name(pool, pool.slotOffset(page, slot), pass, kept);
                        }
                    }
                }
            }
        }
    }

    /** First pass: finds the name that is kept, the one in the directory that the inode says. Second pass: reports the others. */
    private void name(PoolView pool, long dentry, int pass, LongHashSet kept) {
        if (pool.readInt(dentry + DentryLayout.MAGIC_OFFSET) != DentryLayout.MAGIC) {
            return;
        }
        long child = pool.readLong(dentry + DentryLayout.CHILD_OFFSET);
        if (!manyNames.contains(child)) {
            return;
        }
        PoolView home = cluster.homePool(child);
        long slot = home.slotOffset(index.slot(index.find(child)));
        boolean right = child != InodeNumber.ROOT
                && home.inodeLong(slot, InodeLayout.PARENT_OFFSET)
                        == pool.readLong(dentry + DentryLayout.PARENT_OFFSET);
        if (pass == 0) {
            if (right && kept.add(child)) {
                kept.add(keptName(pool, dentry));
            }
        } else if (!kept.contains(keptName(pool, dentry))) {
            if (child != InodeNumber.ROOT && kept.add(child)) {
                kept.add(keptName(pool, dentry));
                return;
            }
            findings.error(
                    pool.node(),
                    child,
                    dentry,
                    "the directory " + Cluster.name(child) + " has a second name, " + paths.entry(pool, dentry),
                    "that name is removed",
                    Stage.REFERENCE,
                    () -> Mender.clearDentry(pool, dentry));
        }
    }

    /** A mark for a name, apart from all inode numbers, which end at 2^63 for any sensible shard. */
    private static long keptName(PoolView pool, long dentry) {
        return Long.MIN_VALUE | (long) pool.node() << 47 | dentry >>> 4;
    }
}
