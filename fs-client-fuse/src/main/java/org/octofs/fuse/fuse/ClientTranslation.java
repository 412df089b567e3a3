package org.octofs.fuse.fuse;

import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsStatistics;
import org.octofs.client.client.LockSpec;
import org.octofs.client.lease.Arming;

/** The client's holders, one set per thread, and their translation into the seam's. */
final class ClientTranslation {
    private static final int BLOCK_BYTES = 4096;
    private static final ThreadLocal<ClientTranslation> OF_THREAD = ThreadLocal.withInitial(ClientTranslation::new);

    final Attributes attributes = new Attributes();
    final AttributeChange change = new AttributeChange();
    final EntryReply entry = new EntryReply();
    final FsStatistics statistics = new FsStatistics();
    final Arming arming = new Arming();

    private ClientTranslation() {}

    static ClientTranslation ofThread() {
        return OF_THREAD.get();
    }

    void attributesTo(NodeAttributes out) {
        Attributes from = attributes;
        out.inode = from.ino();
        out.mode = from.mode();
        out.linkCount = from.linkCount();
        out.uid = from.uid();
        out.gid = from.gid();
        out.device = from.deviceNumber();
        out.sizeBytes = from.sizeBytes();
        out.blocks = from.sectors();
        out.blockSizeBytes = BLOCK_BYTES;
        out.accessSeconds = from.accessSeconds();
        out.accessNanos = from.accessNanos();
        out.modifySeconds = from.modificationSeconds();
        out.modifyNanos = from.modificationNanos();
        out.changeSeconds = from.changeSeconds();
        out.changeNanos = from.changeNanos();
        out.birthSeconds = from.birthSeconds();
        out.birthNanos = from.birthNanos();
    }

    AttributeChange change(AttributesChange from) {
        change.clear();
        if (from.has(AttributesChange.MODE)) {
            change.mode(from.mode);
        }
        if (from.has(AttributesChange.UID)) {
            change.uid(from.uid);
        }
        if (from.has(AttributesChange.GID)) {
            change.gid(from.gid);
        }
        if (from.has(AttributesChange.SIZE)) {
            change.sizeBytes(from.sizeBytes);
        }
        if (from.has(AttributesChange.ACCESS_TIME_NOW)) {
            change.accessTimeNow();
        } else if (from.has(AttributesChange.ACCESS_TIME)) {
            change.accessTime(from.accessSeconds, from.accessNanos);
        }
        if (from.has(AttributesChange.MODIFY_TIME_NOW)) {
            change.modificationTimeNow();
        } else if (from.has(AttributesChange.MODIFY_TIME)) {
            change.modificationTime(from.modifySeconds, from.modifyNanos);
        }
        return change;
    }

    void statisticsTo(StatisticsReply out) {
        FsStatistics from = statistics;
        out.blockSizeBytes = from.blockBytes();
        out.fragmentSizeBytes = from.blockBytes();
        out.blocks = from.totalBlocks();
        out.freeBlocks = from.freeBlocks();
        out.availableBlocks = from.freeBlocks();
        out.inodes = from.totalInodes();
        out.freeInodes = from.freeInodes();
        out.nameBytesMax = from.nameBytesMax();
    }

    static LockSpec lock(LockRange from, long owner) {
        return LockSpec.posix(from.type, owner, from.firstByte, from.lastByte, from.pid);
    }

    static void lockTo(LockSpec from, LockRange out) {
        out.type = from.type();
        if (from.type() != LockSpec.TYPE_UNLOCK) {
            out.firstByte = from.start();
            out.lastByte = from.end();
            out.pid = from.pid();
        }
    }
}
