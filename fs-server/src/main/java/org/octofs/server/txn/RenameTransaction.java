package org.octofs.server.txn;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.AncestorsReply;
import org.octofs.rpc.protocol.message.AncestorsRequest;
import org.octofs.rpc.protocol.message.ChangeReply;
import org.octofs.rpc.protocol.message.CollectRequest;
import org.octofs.rpc.protocol.message.RenameRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.InodeChanges;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.RenameHandler;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;

/**
 * RENAME with more than one home: the source directory is here; target directory, moved and replaced inode may be anywhere.
 * Every change of a directory's parent takes the {@link RenameMutex} and walks from the new parent to the root (loop check).
 * Answers ENOENT, EEXIST, EISDIR, ENOTDIR, ENOTEMPTY, EINVAL (a directory into itself), EMLINK, ENOSPC, ESTALE, ELOCKED, ENOT_HOME.
 */
final class RenameTransaction extends CollectDispatchTransaction {
    private static final int STEPS_MAX = 1 << 16;

    private final InodeChanges changes;
    private final byte[] sourceName;
    private final byte[] targetName;
    private final long sourceParent;
    private final long targetParent;
    private final boolean exchanges;
    private final boolean mayReplace;

    private Entry source;
    private Entry target;
    private boolean hasMutex;
    private boolean walkedTarget;
    private boolean walkedSource;
    private int steps;

    RenameTransaction(Coordinator coordinator, InodeChanges changes, RpcRequest request) {
        super(coordinator, request);
        this.changes = changes;
        RenameRequest message = new RenameRequest().wrap(request.body());
        this.sourceName = message.sourceName();
        this.targetName = message.targetName();
        this.sourceParent = message.sourceParent();
        this.targetParent = message.targetParent();
        this.exchanges = (message.flags() & RenameHandler.EXCHANGE) != 0;
        this.mayReplace = (message.flags() & RenameHandler.NOREPLACE) == 0;
    }

    @Override
    protected void plan() {
        hasMutex = false;
        walkedTarget = false;
        walkedSource = false;
        steps = 0;
        lockDirectoryHere(sourceParent, false);
        source = entryHere(sourceParent, sourceName);
        if (!source.exists()) {
            throw OperationException.of(Errno.ENOENT);
        }
        if (state.isHome(targetParent)) {
            lockDirectoryHere(targetParent, true);
            target = entryHere(targetParent, targetName);
        } else {
            int flags = CollectRequest.FLAG_WITH_CHILD | (exchanges ? 0 : CollectRequest.FLAG_MAY_INSERT);
            target = wantEntry(targetParent, targetName, flags);
        }
        wantInode(source.child, 0);
        if (sourceIsDirectory() && sourceParent != targetParent) {
            takeMutex();
        }
    }

    private boolean sourceIsDirectory() {
        return source.childType == FileMode.DIRECTORY;
    }

    private boolean targetIsDirectory() {
        return target.exists() && target.childType == FileMode.DIRECTORY;
    }

    private void takeMutex() {
        if (!hasMutex) {
            hasMutex = true;
            wantToken(RenameMutex.TOKEN, RenameMutex.SHARD);
        }
    }

    @Override
    protected void decide() {
        if (target.exists() && !mayReplace) {
            throw OperationException.of(Errno.EEXIST);
        }
        if (!target.exists() && exchanges) {
            throw OperationException.of(Errno.ENOENT);
        }
        if (target.exists() && target.child == source.child) {
            // Two names of one file, or a name onto itself: POSIX wants success and no change.
            answerUnchanged();
            return;
        }
        boolean betweenParents = sourceParent != targetParent;
        if (betweenParents && exchanges && targetIsDirectory()) {
            takeMutex();
        }
        if (target.exists()) {
            wantInode(target.child, 0);
        }
        if (hasMore()) {
            return;
        }
        if (betweenParents && sourceIsDirectory() && !walkedTarget) {
            walk(targetParent, source.child, () -> walkedTarget = true);
            return;
        }
        if (betweenParents && exchanges && targetIsDirectory() && !walkedSource) {
            walk(sourceParent, target.child, () -> walkedSource = true);
            return;
        }
        checkTypes();
    }

    private void checkTypes() {
        if (target.exists() && !exchanges) {
            if (sourceIsDirectory() && !targetIsDirectory()) {
                throw OperationException.of(Errno.ENOTDIR);
            }
            if (!sourceIsDirectory() && targetIsDirectory()) {
                throw OperationException.of(Errno.EISDIR);
            }
            if (targetIsDirectory() && inode(target.child).entryCount() != 0) {
                throw OperationException.of(Errno.ENOTEMPTY);
            }
        }
        int more = subdirectoriesMore();
        if (more > 0 && inode(targetParent).nlink() >= InodeChanges.LINK_MAX) {
            throw OperationException.of(Errno.EMLINK);
        }
        if (exchanges && more < 0 && inode(sourceParent).nlink() >= InodeChanges.LINK_MAX) {
            throw OperationException.of(Errno.EMLINK);
        }
    }

    /** How many subdirectories more the target directory has afterwards. */
    private int subdirectoriesMore() {
        if (sourceParent == targetParent) {
            return targetIsDirectory() && !exchanges ? -1 : 0;
        }
        return (sourceIsDirectory() ? 1 : 0) - (targetIsDirectory() ? 1 : 0);
    }

    // ---------------------------------------------------------------------------------------------- loop check

    /** EINVAL if {@code sought} is {@code from} or above it; else goes on, perhaps after having asked others. */
    private void walk(long from, long sought, Runnable clear) {
        if (++steps > STEPS_MAX) {
            throw OperationException.of(Errno.ELOOP);
        }
        if (state.isHome(from)) {
            walked(coordinator.ancestors().walk(txnId(), from, sought), sought, clear);
            return;
        }
        int node = homeOf(from);
        call(
                node,
                OpCode.ANCESTORS,
                AncestorsRequest.FIXED_BYTES,
                body -> new AncestorsRequest().wrap(body).set(txnId(), from, sought),
                (errno, body) -> {
                    OperationException.check(errno);
                    walked(new AncestorsReply().wrap(body).next(), sought, clear);
                });
    }

    private void walked(long next, long sought, Runnable clear) {
        if (next == sought) {
            throw OperationException.of(Errno.EINVAL);
        }
        if (next == 0) {
            clear.run();
            goOn();
        } else {
            walk(next, sought, clear);
        }
    }

    // ---------------------------------------------------------------------------------------------- the change

    @Override
    protected void stage(MetaTransaction tx) {
        long moved = source.child;
        long replaced = target.child;
        boolean sameParent = sourceParent == targetParent;
        InodeRecord from = edit(tx, sourceParent);
        InodeRecord to = edit(tx, targetParent);
        int more = subdirectoriesMore();
        if (exchanges) {
            put(tx, source, replaced, target.childType);
            put(tx, target, moved, source.childType);
            changes.entryChanged(from, 0, -more);
            changes.entryChanged(to, 0, more);
            arrived(tx, replaced, target.childType, sourceParent);
        } else {
            state.dentries().remove(tx, source.reference);
            put(tx, target, moved, source.childType);
            changes.entryChanged(from, -1, !sameParent && sourceIsDirectory() ? -1 : 0);
            changes.entryChanged(to, replaced == 0 ? 1 : 0, more);
            if (replaced != 0) {
                drop(tx, changes, replaced, target.childType);
            }
        }
        arrived(tx, moved, source.childType, targetParent);
    }

    /** An inode has a name in {@code parent} now. */
    private void arrived(MetaTransaction tx, long ino, int type, long parent) {
        InodeRecord inode = edit(tx, ino);
        changes.touch(inode);
        if (type == FileMode.DIRECTORY) {
            inode.parent(parent);
        }
    }

    // ---------------------------------------------------------------------------------------------- the answer

    private void answerUnchanged() {
        // Without versions: the present ones may be those of others' changes, which the client would take for its own.
        send(source.child, 0, 0, 0);
        finishUnchanged();
    }

    @Override
    protected void answer() {
        send(recordedIno(), recordedExtra(), bodyVersion(sourceParent), bodyVersion(targetParent));
    }

    private long bodyVersion(long ino) {
        return inode(ino).getLong(InodeLayout.BODY_VERSION_OFFSET);
    }

    private void send(long moved, long replaced, long parentVersion, long targetParentVersion) {
        new ChangeReply()
                .wrap(request.reply(ChangeReply.FIXED_BYTES))
                .ino(moved)
                .replacedIno(replaced)
                .parentVersion(parentVersion)
                .targetParentVersion(targetParentVersion);
        request.send(0, ChangeReply.FIXED_BYTES);
    }

    @Override
    protected long recordedIno() {
        return source.child;
    }

    @Override
    protected long recordedExtra() {
        return exchanges ? 0 : target.child;
    }
}
