package org.octofs.server.recovery;

import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/** Makes the root directory, once in the life of a cluster, at the home of shard 0. */
final class RootCreator {
    private RootCreator() {}

    /** Makes it if it is to be here and is not; one log record, so that it is there wholly or not at all. */
    static boolean createIfMissing(ServerState state) {
        if (!state.isHome(InodeNumber.ROOT) || state.inodes().slotOffset(InodeNumber.ROOT) != 0) {
            return false;
        }
        MetaTransaction tx = state.begin(RecordType.NAMESPACE);
        InodeRecord root = state.inodes().createWithNumber(tx, InodeNumber.ROOT);
        long seconds = state.nowSeconds();
        int nanos = state.nowNanos();
        root.mode(FileMode.DIRECTORY | 0x1ED) // rwxr-xr-x
                .nlink(2)
                .sizeBytes(4096)
                .parent(InodeNumber.ROOT)
                .atime(seconds, nanos)
                .mtime(seconds, nanos)
                .ctime(seconds, nanos)
                .btime(seconds, nanos);
        tx.commit();
        return true;
    }
}
