package org.octofs.server.ops;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.CreateRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.namespace.Name;
import org.octofs.server.session.ClientSession;
import org.octofs.server.session.RecordedReply;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * CREATE: a new file of any type but a directory, in its directory's shard; durable when answered. An entry that exists is
 * answered with a flag, unless the request is exclusive. Answers EEXIST (exclusive), EINVAL (type or name), ENOTDIR, ENOENT (the
 * directory was removed; an empty symlink target), ENAMETOOLONG (name, target over 4095 bytes), ENOSPC, ESTALE, ENOT_HOME.
 */
public final class CreateHandler implements OperationHandler {
    /** In the request: an existing entry is an error. */
    public static final int FLAG_EXCLUSIVE = 1;

    /** In the request: register an open of a regular file. */
    public static final int FLAG_OPEN = 2;

    /** In the request: no entry is made; the file ends with its last open unless it gets a name by LINK. */
    public static final int FLAG_UNNAMED = 4;

    /** In the request, with {@link #FLAG_UNNAMED}: LINK may give it a name. */
    public static final int FLAG_LINKABLE = 8;

    /** In the request: where the umask begins. */
    public static final int UMASK_SHIFT = 16;

    /** Longest target of a symbolic link. */
    public static final int TARGET_BYTES_MAX = 4095;

    private final CreateRequest message = new CreateRequest();
    private final InodeRecord parent = new InodeRecord();
    private final Name name = new Name();
    private final Replies replies = new Replies();
    private final InheritedLists lists = new InheritedLists();
    private final byte[] target = new byte[TARGET_BYTES_MAX];
    private final InodeChanges changes;

    /** With the shared side effects. */
    public CreateHandler(InodeChanges changes) {
        this.changes = changes;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        MessageBuffer body = request.body();
        message.wrap(body);
        long parentIno = message.parent();
        int mode = message.mode();
        int flags = message.flags();
        checkType(mode);
        boolean named = (flags & FLAG_UNNAMED) == 0;
        if (named) {
            OperationException.check(name.read(body, message.nameOffset(), message.nameLength()));
        } else if (!FileMode.isRegular(mode)) {
            throw OperationException.of(Errno.EINVAL);
        }
        state.requireLiveDirectory(parentIno, parent);
        int existing = named ? state.dentries().find(parentIno, name) : 0;
        if (existing != 0) {
            answerExisting(request, state, parentIno, existing, flags);
            return;
        }
        int targetLength = readTarget(body, mode);

        MetaTransaction tx = state.begin(RecordType.NAMESPACE);
        InodeRecord inode = state.inodes().create(tx, InodeNumber.shard(parentIno));
        long ino = inode.ino();
        InodeRecord directory = state.inodes().edit(tx, parentIno);
        int granted = lists.begin(state, directory, mode, flags >>> UMASK_SHIFT);
        changes.initialise(inode, directory, granted, message.uid(), message.gid(), message.rdev());
        lists.store(tx, state, inode);
        if (FileMode.isSymlink(mode)) {
            storeTarget(tx, state, inode, targetLength);
        }
        if (named) {
            state.dentries().insert(tx, parentIno, name, ino, FileMode.type(mode));
            changes.entryChanged(directory, 1, 0);
        } else {
            changes.leaveUnnamed(tx, inode, (flags & FLAG_LINKABLE) != 0);
        }
        state.commit(request, 0, ino, parentIno);
        registerOpen(request, state, ino, mode, flags);
        replies.sendEntry(request, state, 0, parentIno, ino, FileMode.type(mode), 0);
    }

    private static void checkType(int mode) {
        switch (FileMode.type(mode)) {
            case FileMode.REGULAR,
                    FileMode.SYMLINK,
                    FileMode.FIFO,
                    FileMode.SOCKET,
                    FileMode.CHARACTER_DEVICE,
                    FileMode.BLOCK_DEVICE -> {}
            default -> throw OperationException.of(Errno.EINVAL);
        }
    }

    private void answerExisting(RpcRequest request, ServerState state, long parentIno, int dentry, int flags) {
        if ((flags & FLAG_EXCLUSIVE) != 0) {
            throw OperationException.of(Errno.EEXIST);
        }
        long ino = state.dentries().child(dentry);
        int type = state.dentries().type(dentry);
        if (state.isHome(ino)) {
            state.requireUnlocked(ino);
            registerOpen(request, state, ino, type, flags);
        }
        replies.sendEntry(request, state, 0, parentIno, ino, type, Replies.ENTRY_EXISTED);
    }

    private static void registerOpen(RpcRequest request, ServerState state, long ino, int mode, int flags) {
        ClientSession session = state.session(request);
        if ((flags & FLAG_OPEN) != 0 && FileMode.isRegular(mode) && session != null) {
            state.opens().open(session, ino, 1);
            state.orphans().opened(ino);
        }
    }

    private int readTarget(MessageBuffer body, int mode) {
        int length = message.targetLength();
        if (!FileMode.isSymlink(mode)) {
            return 0;
        }
        if (length < 0 || length > TARGET_BYTES_MAX) {
            throw OperationException.of(Errno.ENAMETOOLONG);
        }
        if (length == 0) {
            throw OperationException.of(Errno.ENOENT);
        }
        body.getBytes(message.targetOffset(), target, 0, length);
        return length;
    }

    private void storeTarget(MetaTransaction tx, ServerState state, InodeRecord inode, int length) {
        inode.sizeBytes(length);
        if (length <= InodeLayout.INLINE_BYTES) {
            inode.flags(inode.flags() | InodeLayout.FLAG_INLINE_TARGET);
            MemorySegment.copy(
                    target, 0, inode.memory(), ValueLayout.JAVA_BYTE, inode.base() + InodeLayout.INLINE_OFFSET, length);
        } else {
            inode.mapRoot(state.blobs().write(tx, target, length));
        }
    }

    @Override
    public void answerAgain(RpcRequest request, ServerState state, RecordedReply recorded) {
        message.wrap(request.body());
        InodeRecord inode = parent;
        if (!state.inodes().find(recorded.ino(), inode)) {
            request.send(Errno.ESTALE.value, 0);
            return;
        }
        int mode = inode.mode();
        registerOpen(request, state, recorded.ino(), mode, message.flags());
        replies.sendEntryAgain(request, state, recorded.extra(), recorded.ino(), FileMode.type(mode), 0);
    }
}
