package org.octofs.server.txn;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.PageKind;

/**
 * Looks at a quiet cluster as fsck would: every image whole, every entry's inode there and of its type, link and entry counts
 * right, parents right, every inode reachable or an orphan, no lock record left, no slot lost.
 */
final class TreeCheck {
    private final TxnCluster cluster;
    private final TxnFs fs;
    private final Map<String, Long> paths = new TreeMap<>();
    private final Map<Long, Integer> names = new HashMap<>();
    private int dentries;

    private TreeCheck(TxnCluster cluster, TxnFs fs) {
        this.cluster = cluster;
        this.fs = fs;
    }

    /** Paths (directories end with a slash) and inode numbers of everything. */
    static Map<String, Long> check(TxnCluster cluster, TxnFs fs) {
        TreeCheck check = new TreeCheck(cluster, fs);
        check.names.put(TxnFs.ROOT, 1);
        check.directory(TxnFs.ROOT, TxnFs.ROOT, "/");
        check.inodes();
        check.slots();
        return check.paths;
    }

    private void directory(long ino, long parent, String path) {
        InodeRecord record = whole(ino, path);
        int subdirectories = 0;
        Map<String, Long> entries = fs.list(ino);
        for (Map.Entry<String, Long> entry : entries.entrySet()) {
            long child = entry.getValue();
            String childPath = path + entry.getKey();
            dentries++;
            InodeRecord found = whole(child, childPath);
            int type = FileMode.type(found.mode());
            var table = cluster.node(fs.home(ino)).state.dentries();
            org.octofs.server.namespace.Name name = new org.octofs.server.namespace.Name();
            name.set(entry.getKey().getBytes(java.nio.charset.StandardCharsets.UTF_8));
            int reference = table.find(ino, name);
            check(reference != 0, childPath + " is listed and not found");
            check(table.type(reference) == type, childPath + ": type of entry and inode differ");
            int before = names.merge(child, 1, Integer::sum);
            if (type == FileMode.DIRECTORY) {
                check(before == 1, childPath + " is a directory with two names");
                subdirectories++;
                paths.put(childPath + "/", child);
                directory(child, ino, childPath + "/");
            } else {
                paths.put(childPath, child);
            }
        }
        check(
                record.entryCount() == entries.size(),
                path + ": " + record.entryCount() + " entries, there are " + entries);
        check(
                record.nlink() == 2 + subdirectories,
                path + ": nlink " + record.nlink() + ", subdirectories " + subdirectories);
        check(record.parent() == parent, path + ": parent " + record.parent() + " instead of " + parent);
    }

    private InodeRecord whole(long ino, String path) {
        InodeRecord record = fs.inode(ino);
        check(record != null, path + ": no inode " + Long.toHexString(ino));
        check(InodeLayout.isConsistent(record.memory(), record.base()), path + ": image is not whole");
        return record;
    }

    private void inodes() {
        for (int id = 0; id < cluster.nodeCount(); id++) {
            TxnNode node = cluster.node(id);
            MetaStore store = node.state.store();
            for (int page = 0; page < store.pageCount(); page++) {
                if (store.pageKindOnMedia(page) == PageKind.INODE) {
                    for (int slot = 0; slot < PageKind.slotCount(PageKind.INODE); slot++) {
                        long at = store.pageOffset(page) + slot * 256L;
                        InodeRecord record = new InodeRecord().wrap(store.memory(), at, at);
                        if (record.isAllocated()) {
                            long ino = record.ino();
                            int expected = names.getOrDefault(ino, 0);
                            check(
                                    record.isDirectory()
                                            ? expected == 1 || record.nlink() == 0
                                            : record.nlink() == expected,
                                    "inode " + Long.toHexString(ino) + " has nlink " + record.nlink() + " and "
                                            + expected + " names");
                            check(node.state.inodes().slotOffset(ino) == at, "inode index of " + Long.toHexString(ino));
                        }
                    }
                }
            }
        }
    }

    /** No slot is taken that holds nothing, in DRAM or on media. */
    private void slots() {
        long found = 0;
        for (int id = 0; id < cluster.nodeCount(); id++) {
            TxnNode node = cluster.node(id);
            MetaStore store = node.state.store();
            for (int kind = PageKind.INODE; kind <= PageKind.DENTRY_LARGE; kind++) {
                long all = 0;
                long used = 0;
                for (int page = 0; page < store.pageCount(); page++) {
                    if (store.pageKind(page) == kind) {
                        for (int slot = 0; slot < PageKind.slotCount(kind); slot++) {
                            long at = store.pageOffset(page) + (long) slot * PageKind.slotBytes(kind);
                            boolean taken = kind == PageKind.INODE
                                    ? new InodeRecord()
                                            .wrap(store.memory(), at, at)
                                            .isAllocated()
                                    : node.state.dentries().isAllocated(at);
                            all++;
                            used += taken ? 1 : 0;
                        }
                    }
                }
                check(
                        store.freeSlotCount(kind) == all - used,
                        "node " + id + ", kind " + kind + ": " + store.freeSlotCount(kind) + " slots free, " + used
                                + " of " + all + " used");
                found += kind == PageKind.INODE ? 0 : used;
            }
        }
        check(found == dentries, found + " dentries in the pools, " + dentries + " reachable");
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
