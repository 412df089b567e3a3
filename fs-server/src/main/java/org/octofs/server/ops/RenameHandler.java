package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.message.RenameRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.namespace.DentryTable;
import org.octofs.server.namespace.Name;
import org.octofs.server.session.RecordedReply;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * RENAME: moves a name, replacing a file or an empty directory, or swaps two names; durable when answered. Both names of one
 * inode: nothing happens, successfully. Answers ENOENT, EEXIST (NOREPLACE), EISDIR, ENOTDIR, ENOTEMPTY, EINVAL (flags, name, a
 * directory into itself), EMLINK, ENAMETOOLONG, ENOSPC, ESTALE, ENOT_HOME.
 */
public final class RenameHandler implements OperationHandler {
    /** Flag: the target must not exist. */
    public static final int NOREPLACE = 1;

    /** Flag: both names exist and are swapped. */
    public static final int EXCHANGE = 2;

    private static final int DEPTH_MAX = 1 << 20;

    private final RenameRequest message = new RenameRequest();
    private final InodeRecord sourceParent = new InodeRecord();
    private final InodeRecord targetParent = new InodeRecord();
    private final InodeRecord walker = new InodeRecord();
    private final Name sourceName = new Name();
    private final Name targetName = new Name();
    private final Replies replies = new Replies();
    private final InodeChanges changes;

    // The rename at hand, found by resolve().
    private long sourceIno;
    private long targetIno;
    private int flags;
    private int sourceDentry;
    private int targetDentry;
    private long moved;
    private int movedType;
    private long replaced;
    private int replacedType;

    /** With the shared side effects. */
    public RenameHandler(InodeChanges changes) {
        this.changes = changes;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        read(request);
        state.requireDirectory(sourceIno, sourceParent);
        resolveSource(state);
        if (!isLocal(state)) {
            state.transactions().rename(request, state);
            return;
        }
        state.requireLiveDirectory(targetIno, targetParent);
        resolveTarget(state);
        if (replaced != 0 && (flags & NOREPLACE) != 0) {
            throw OperationException.of(Errno.EEXIST);
        }
        if (replaced == moved && replaced != 0) {
            // Two names of one file, or a name onto itself: POSIX wants success and no change. Without versions: those
            // of now may come from others' changes, which the client would take for its own.
            replies.sendChangeAgain(request, moved, 0);
            return;
        }
        if (needsOtherHomes(state)) {
            state.transactions().rename(request, state);
            return;
        }
        check(state);
        MetaTransaction tx = state.begin(RecordType.NAMESPACE);
        if ((flags & EXCHANGE) != 0) {
            exchange(tx, state);
        } else {
            move(tx, state);
        }
        long gone = (flags & EXCHANGE) != 0 ? 0 : replaced;
        state.commit(request, 0, moved, gone);
        replies.sendChange(request, state, moved, gone, sourceIno, targetIno);
    }

    private void read(RpcRequest request) {
        message.wrap(request.body());
        sourceIno = message.sourceParent();
        targetIno = message.targetParent();
        flags = message.flags();
        if ((flags & ~(NOREPLACE | EXCHANGE)) != 0 || flags == (NOREPLACE | EXCHANGE)) {
            throw OperationException.of(Errno.EINVAL);
        }
        OperationException.check(
                sourceName.read(request.body(), message.sourceNameOffset(), message.sourceNameLength()));
        OperationException.check(
                targetName.read(request.body(), message.targetNameOffset(), message.targetNameLength()));
    }

    private void resolveSource(ServerState state) {
        DentryTable dentries = state.dentries();
        sourceDentry = dentries.find(sourceIno, sourceName);
        if (sourceDentry == 0) {
            throw OperationException.of(Errno.ENOENT);
        }
        moved = dentries.child(sourceDentry);
        movedType = dentries.type(sourceDentry);
    }

    private void resolveTarget(ServerState state) {
        DentryTable dentries = state.dentries();
        targetDentry = dentries.find(targetIno, targetName);
        replaced = targetDentry == 0 ? 0 : dentries.child(targetDentry);
        replacedType = targetDentry == 0 ? 0 : dentries.type(targetDentry);
    }

    /** Moving a directory to another parent needs the loop check over all homes, so it is never local in a real cluster. */
    private boolean isLocal(ServerState state) {
        return state.isHome(targetIno)
                && (sourceIno == targetIno
                        || movedType != FileMode.DIRECTORY
                        || state.map().nodeCount() == 1);
    }

    /** Every inode that gets or loses a name here gets a new ctime at least, so its home has to take part. */
    private boolean needsOtherHomes(ServerState state) {
        boolean exchanges = (flags & EXCHANGE) != 0;
        if (replaced != 0 ? (flags & NOREPLACE) != 0 : exchanges) {
            return false;
        }
        if (exchanges
                && replacedType == FileMode.DIRECTORY
                && sourceIno != targetIno
                && state.map().nodeCount() > 1) {
            return true;
        }
        return !state.isHome(moved) || (replaced != 0 && !state.isHome(replaced));
    }

    private void check(ServerState state) {
        boolean exchanges = (flags & EXCHANGE) != 0;
        if (replaced != 0 && (flags & NOREPLACE) != 0) {
            throw OperationException.of(Errno.EEXIST);
        }
        if (replaced == 0 && exchanges) {
            throw OperationException.of(Errno.ENOENT);
        }
        requireUnlockedHere(state, moved);
        requireUnlockedHere(state, replaced);
        boolean movesDirectory = movedType == FileMode.DIRECTORY;
        boolean ontoDirectory = replaced != 0 && replacedType == FileMode.DIRECTORY;
        if (sourceIno != targetIno) {
            if (movesDirectory) {
                checkNotInside(state, targetIno, moved);
            }
            if (ontoDirectory && exchanges) {
                checkNotInside(state, sourceIno, replaced);
            }
        }
        if (replaced != 0 && !exchanges) {
            if (movesDirectory && !ontoDirectory) {
                throw OperationException.of(Errno.ENOTDIR);
            }
            if (!movesDirectory && ontoDirectory) {
                throw OperationException.of(Errno.EISDIR);
            }
            if (ontoDirectory && state.dentries().count(replaced) != 0) {
                throw OperationException.of(Errno.ENOTEMPTY);
            }
        }
        boolean moreSubdirectories = movesDirectory && !ontoDirectory && sourceIno != targetIno;
        if (moreSubdirectories && targetParent.nlink() >= InodeChanges.LINK_MAX) {
            throw OperationException.of(Errno.EMLINK);
        }
    }

    private static void requireUnlockedHere(ServerState state, long ino) {
        if (ino != 0 && state.isHome(ino)) {
            state.requireUnlocked(ino);
        }
    }

    /** EINVAL if {@code directory} is {@code ancestor} or below it; every parent is here. */
    private void checkNotInside(ServerState state, long directory, long ancestor) {
        long at = directory;
        for (int depth = 0; depth < DEPTH_MAX; depth++) {
            if (at == ancestor) {
                throw OperationException.of(Errno.EINVAL);
            }
            if (at == InodeNumber.ROOT || !state.inodes().find(at, walker)) {
                return;
            }
            at = walker.parent();
        }
        throw new IllegalStateException("the parents of directory " + directory + " form a loop");
    }

    private void move(MetaTransaction tx, ServerState state) {
        DentryTable dentries = state.dentries();
        InodeRecord from = state.inodes().edit(tx, sourceIno);
        InodeRecord to = state.inodes().edit(tx, targetIno);
        int directories = movedType == FileMode.DIRECTORY ? 1 : 0;
        dentries.remove(tx, sourceDentry);
        changes.entryChanged(from, -1, -directories);
        if (replaced == 0) {
            dentries.insert(tx, targetIno, targetName, moved, movedType);
            changes.entryChanged(to, 1, directories);
        } else {
            dentries.replaceChild(tx, targetDentry, moved, movedType);
            InodeRecord gone = state.inodes().edit(tx, replaced);
            if (replacedType == FileMode.DIRECTORY) {
                changes.dropDirectory(tx, gone);
                changes.entryChanged(to, 0, directories - 1);
            } else {
                changes.dropName(tx, gone);
                changes.entryChanged(to, 0, 0);
            }
        }
        arrived(tx, state, moved, movedType, targetIno);
    }

    private void exchange(MetaTransaction tx, ServerState state) {
        InodeRecord from = state.inodes().edit(tx, sourceIno);
        InodeRecord to = state.inodes().edit(tx, targetIno);
        int there = movedType == FileMode.DIRECTORY ? 1 : 0;
        int back = replacedType == FileMode.DIRECTORY ? 1 : 0;
        state.dentries().replaceChild(tx, sourceDentry, replaced, replacedType);
        state.dentries().replaceChild(tx, targetDentry, moved, movedType);
        changes.entryChanged(from, 0, back - there);
        changes.entryChanged(to, 0, there - back);
        arrived(tx, state, moved, movedType, targetIno);
        arrived(tx, state, replaced, replacedType, sourceIno);
    }

    /** An inode has a name in {@code parent} now. */
    private void arrived(MetaTransaction tx, ServerState state, long ino, int type, long parent) {
        if (state.isHome(ino)) {
            InodeRecord inode = state.inodes().edit(tx, ino);
            changes.touch(inode);
            if (type == FileMode.DIRECTORY) {
                inode.parent(parent);
            }
        }
    }

    @Override
    public void answerAgain(RpcRequest request, ServerState state, RecordedReply recorded) {
        replies.sendChangeAgain(request, recorded.ino(), recorded.extra());
    }
}
