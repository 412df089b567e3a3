package org.octofs.server.check;

import java.nio.charset.StandardCharsets;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.log.LogRecord;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.ServerClock;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.PageKind;

/**
 * The directory /lost+found, where files and directories go that no name leads to any more. Made when it is first needed.
 * Threading: confined to the check.
 */
final class LostAndFound {
    private static final int OWNER_ONLY = 0x1C0; // rwx------
    private static final int USUAL = 0x1ED; // rwxr-xr-x

    private final Cluster cluster;
    private final InodeIndex index;
    private long ino;
    private long cookie;

    LostAndFound(Cluster cluster, InodeIndex index) {
        this.cluster = cluster;
        this.index = index;
    }

    static byte[] name() {
        return "lost+found".getBytes(StandardCharsets.UTF_8);
    }

    /** It is there already; 0 if it is not. */
    void found(long directory) {
        ino = directory;
    }

    /** Gives an inode a name in it. */
    void attach(PoolView home, long slot, int nlink) throws RepairException {
        if (ino == 0) {
            make();
        }
        PoolView pool = cluster.homePool(ino);
        long directory = slotOf(pool);
        long child = home.inodeLong(slot, InodeLayout.INO_OFFSET);
        boolean isDirectory = FileMode.isDirectory(home.mode(slot));
        long directoryIno = ino;
        // The inode first: a repair that stops here leaves one that is still without a name, and is found again.
        Mender.inode(home, slot, i -> {
            i.nlink(nlink);
            if (isDirectory) {
                i.parent(directoryIno);
            }
        });
        long free = Mender.freeSlot(pool, PageKind.DENTRY_SMALL);
        // Looked for once: there may be many to be attached.
        cookie = cookie == 0 ? nextCookie(pool, ino) : cookie + 1;
        LogRecord record = Mender.begin(pool);
        Mender.stageNewDentry(
                record,
                free,
                ino,
                cookie,
                ("#" + Long.toUnsignedString(child)).getBytes(StandardCharsets.UTF_8),
                child,
                FileMode.type(home.mode(slot)));
        Mender.stageInode(pool, record, directory, i -> {
            now(i.entryCount(i.entryCount() + 1).nlink(i.nlink() + (isDirectory ? 1 : 0)), false);
        });
        Mender.commit(pool, record);
    }

    private long slotOf(PoolView pool) throws RepairException {
        int place = index.find(ino);
        if (place >= 0) {
            return pool.slotOffset(index.slot(place));
        }
        throw new RepairException("/lost+found has no inode yet");
    }

    private void make() throws RepairException {
        int root = index.find(InodeNumber.ROOT);
        PoolView pool = cluster.homePool(InodeNumber.ROOT);
        if (root < 0 || pool == null) {
            throw new RepairException("there is no root directory to hold /lost+found");
        }
        long rootSlot = pool.slotOffset(index.slot(root));
        long markOffset = pool.zone(ZoneKind.SESSION_TABLE).offset();
        long number = Math.max(2, pool.readLong(markOffset));
        long made = InodeNumber.of(InodeNumber.shard(InodeNumber.ROOT), number);
        long slot = Mender.freeSlot(pool, PageKind.INODE);
        long dentry = Mender.freeSlot(pool, PageKind.DENTRY_SMALL);
        LogRecord record = Mender.begin(pool);
        record.updateLong(markOffset, number + 1);
        Mender.stageNewInode(
                pool,
                record,
                slot,
                made,
                i -> now(directory(i, InodeNumber.ROOT, FileMode.DIRECTORY | OWNER_ONLY), true));
        Mender.stageNewDentry(
                record, dentry, InodeNumber.ROOT, nextCookie(pool, InodeNumber.ROOT), name(), made, FileMode.DIRECTORY);
        Mender.stageInode(
                pool, record, rootSlot, i -> now(i.nlink(i.nlink() + 1).entryCount(i.entryCount() + 1), false));
        Mender.commit(pool, record);
        ino = made;
        index.add(made, reference(pool, slot));
    }

    private static int reference(PoolView pool, long slot) {
        int page = pool.pageAt(slot & -PageKind.PAGE_BYTES);
        return PoolView.slotReference(page, (int) (slot - pool.pageOffset(page)) / PageKind.slotBytes(PageKind.INODE));
    }

    /** Makes an empty root directory. */
    static void makeRoot(PoolView pool) throws RepairException {
        long slot = Mender.freeSlot(pool, PageKind.INODE);
        LogRecord record = Mender.begin(pool);
        Mender.stageNewInode(
                pool,
                record,
                slot,
                InodeNumber.ROOT,
                i -> now(directory(i, InodeNumber.ROOT, FileMode.DIRECTORY | USUAL), true));
        Mender.commit(pool, record);
    }

    private static InodeRecord directory(InodeRecord inode, long parent, int mode) {
        return inode.mode(mode).nlink(2).sizeBytes(4096).parent(parent);
    }

    private static void now(InodeRecord inode, boolean isNew) {
        long seconds = ServerClock.system().wallNanos() / 1_000_000_000L;
        inode.mtime(seconds, 0).ctime(seconds, 0);
        if (isNew) {
            inode.atime(seconds, 0).btime(seconds, 0);
        }
    }

    /** A place behind all entries of a directory. */
    static long nextCookie(PoolView pool, long directory) {
        long next = DentryLayout.FIRST_COOKIE;
        for (int page = 0; page < pool.pageCount(); page++) {
            int kind = pool.kind(page);
            if (kind == PageKind.DENTRY_SMALL || kind == PageKind.DENTRY_LARGE) {
                for (int slot = 0; slot < PageKind.slotCount(kind); slot++) {
                    long offset = pool.slotOffset(page, slot);
                    if (pool.readInt(offset + DentryLayout.MAGIC_OFFSET) == DentryLayout.MAGIC
                            && pool.readLong(offset + DentryLayout.PARENT_OFFSET) == directory) {
                        next = Math.max(next, pool.readLong(offset + DentryLayout.COOKIE_OFFSET) + 1);
                    }
                }
            }
        }
        return next;
    }
}
