package org.octofs.server.txn;

import org.octofs.pmem.PoolFullException;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.CollectReply;
import org.octofs.rpc.protocol.message.CollectRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.server.namespace.Name;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.PageKind;
import org.octofs.server.store.RecordType;

/**
 * COLLECT: locks objects for a coordinator and answers their images. Never waits for an object: EBUSY, and the coordinator
 * tries again with everything released, so that nothing can be waited for in a circle. Answers also ESTALE (no such inode),
 * ENOENT (it has lost its last name), ENOTDIR, ENOTEMPTY, ENOSPC, ENOLCK (the lock table is full), EPERM (not a server), ENOT_HOME.
 */
final class CollectHandler implements OperationHandler {
    private final Participant participant;
    private final CollectRequest message = new CollectRequest();
    private final CollectReply answer = new CollectReply();
    private final Name name = new Name();
    private final InodeRecord record = new InodeRecord();

    CollectHandler(Participant participant) {
        this.participant = participant;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        if (!participant.isServer(request)) {
            throw OperationException.of(Errno.EPERM);
        }
        // What was released in the meantime must not look busy.
        participant.pollReleases();
        message.wrap(request.body());
        long txnId = message.txnId();
        HeldLock known = participant.find(txnId);
        if (txnId == 0 || (known != null && known.inDoubt)) {
            // Only a coordinator that has not heard of our restart would collect more.
            throw OperationException.of(Errno.EBUSY);
        }
        int items = 0;
        while (message.next()) {
            OperationException.check(check(state, request.body(), txnId));
            items++;
        }
        participant.observer().reached(TxnStep.COLLECT_CHECKED, txnId);
        int before = known == null ? 0 : known.count();
        HeldLock lock = lock(state, request.body(), txnId, known);
        participant.observer().reached(TxnStep.LOCK_DURABLE, txnId);
        int bodyBytes = CollectReply.bodyBytes(items);
        MessageBuffer body = request.reply(bodyBytes);
        body.zero(0, bodyBytes);
        answer.wrap(body).set(participant.table().releaseOffset(lock.index), participant.incarnation(), items);
        fill(state, request.body(), body, lock, before);
        participant.lock(lock);
        request.send(0, bodyBytes);
        participant.observer().reached(TxnStep.COLLECT_ANSWERED, txnId);
    }

    private Errno check(ServerState state, MessageBuffer body, long txnId) {
        return switch (message.kind()) {
            case CollectRequest.NEW_INODE -> {
                int shard = message.shard();
                yield shard >= 0
                                && shard < state.map().shardCount()
                                && state.map().homeOf(shard) == state.nodeId()
                        ? Errno.OK
                        : Errno.ENOT_HOME;
            }
            case CollectRequest.INODE -> checkInode(state, message.ino(), txnId);
            case CollectRequest.ENTRY -> checkEntry(state, body, txnId);
            case CollectRequest.TOKEN -> isHeldByOther(state, message.ino(), txnId) ? Errno.EBUSY : Errno.OK;
            default -> Errno.EPROTO;
        };
    }

    private Errno checkInode(ServerState state, long ino, long txnId) {
        if (!state.isHome(ino)) {
            return Errno.ENOT_HOME;
        }
        if (isHeldByOther(state, ino, txnId) || !state.leases().mayChange(ino, message.clientId())) {
            return Errno.EBUSY;
        }
        if (!state.inodes().find(ino, record)) {
            return Errno.ESTALE;
        }
        // One that was made without a name may get one.
        if (record.nlink() == 0 && (record.flags() & InodeLayout.FLAG_LINKABLE) == 0) {
            return Errno.ENOENT;
        }
        if ((message.flags() & CollectRequest.FLAG_EMPTY) != 0 && record.isDirectory() && record.entryCount() != 0) {
            return Errno.ENOTEMPTY;
        }
        return Errno.OK;
    }

    private Errno checkEntry(ServerState state, MessageBuffer body, long txnId) {
        Errno errno = name.read(body, message.nameOffset(), message.nameLength());
        if (errno == Errno.OK) {
            errno = checkInode(state, message.ino(), txnId);
        }
        if (errno != Errno.OK) {
            return errno;
        }
        if (!record.isDirectory()) {
            return Errno.ENOTDIR;
        }
        int dentry = state.dentries().find(message.ino(), name);
        if (dentry == 0) {
            return Errno.OK;
        }
        boolean free = state.leases().mayChangeName(message.ino(), name.copy(), message.clientId());
        long child = state.dentries().child(dentry);
        if (locksChild(state, child)) {
            free &= !isHeldByOther(state, child, txnId) && state.leases().mayChange(child, message.clientId());
        }
        return free ? Errno.OK : Errno.EBUSY;
    }

    private boolean locksChild(ServerState state, long child) {
        return (message.flags() & CollectRequest.FLAG_WITH_CHILD) != 0
                && state.isHome(child)
                && state.inodes().slotOffset(child) != 0;
    }

    private static boolean isHeldByOther(ServerState state, long ino, long txnId) {
        long owner = state.locks().owner(ino);
        return owner != 0 && owner != txnId;
    }

    /** Takes slots and makes the lock record durable; nothing is taken if that fails. */
    private HeldLock lock(ServerState state, MessageBuffer body, long txnId, HeldLock known) {
        int before = known == null ? 0 : known.count();
        int index = known == null ? participant.table().take() : known.index;
        if (index < 0) {
            throw OperationException.of(Errno.ENOLCK);
        }
        HeldLock lock = known != null
                ? known
                : new HeldLock(
                        txnId, index, participant.incarnation(), state.clock().monotonicNanos(), false);
        boolean durable = false;
        try {
            MetaTransaction tx = state.begin(RecordType.LOCK);
            message.wrap(body);
            while (message.next()) {
                take(state, body, tx, lock);
            }
            participant.table().stage(tx, lock);
            tx.commit();
            durable = true;
        } catch (PoolFullException e) {
            throw OperationException.of(Errno.ENOSPC);
        } finally {
            if (!durable && !state.transaction().isCommitting()) {
                state.transaction().abort();
                lock.truncate(before);
                if (known == null) {
                    participant.table().giveBack(index);
                }
            }
        }
        return lock;
    }

    private void take(ServerState state, MessageBuffer body, MetaTransaction tx, HeldLock lock) {
        long ino = message.ino();
        switch (message.kind()) {
            case CollectRequest.NEW_INODE -> {
                int shard = message.shard();
                long fresh = InodeNumber.of(shard, state.marks().next(shard));
                add(lock, LockRecordLayout.NEW_INODE, tx.allocateSlot(PageKind.INODE), fresh);
            }
            case CollectRequest.INODE -> addInode(state, lock, ino);
            case CollectRequest.ENTRY -> {
                addInode(state, lock, ino);
                name.read(body, message.nameOffset(), message.nameLength());
                int dentry = state.dentries().find(ino, name);
                if (dentry != 0) {
                    add(lock, LockRecordLayout.DENTRY, state.dentries().slotOffset(dentry), ino);
                    long child = state.dentries().child(dentry);
                    if (locksChild(state, child)) {
                        addInode(state, lock, child);
                    }
                } else if ((message.flags() & CollectRequest.FLAG_MAY_INSERT) != 0) {
                    int kind = name.length() <= DentryLayout.SMALL_NAME_BYTES
                            ? PageKind.DENTRY_SMALL
                            : PageKind.DENTRY_LARGE;
                    add(lock, LockRecordLayout.NEW_DENTRY, tx.allocateSlot(kind), ino);
                }
            }
            default -> {
                if (!lock.has(LockRecordLayout.TOKEN, ino)) {
                    add(lock, LockRecordLayout.TOKEN, 0, ino);
                }
            }
        }
    }

    private static void addInode(ServerState state, HeldLock lock, long ino) {
        if (!lock.has(LockRecordLayout.INODE, ino)) {
            add(lock, LockRecordLayout.INODE, state.inodes().slotOffset(ino), ino);
        }
    }

    private static void add(HeldLock lock, int kind, long slot, long ino) {
        if (lock.isFull()) {
            throw OperationException.of(Errno.E2BIG);
        }
        lock.add(kind, slot, ino);
    }

    private void fill(ServerState state, MessageBuffer request, MessageBuffer reply, HeldLock lock, int firstOfThis) {
        int next = firstOfThis;
        message.wrap(request);
        for (int i = 0; message.next(); i++) {
            int at = answer.element(i);
            long ino = message.ino();
            switch (message.kind()) {
                case CollectRequest.NEW_INODE -> {
                    int object = object(lock, LockRecordLayout.NEW_INODE, next);
                    next = object + 1;
                    long slot = lock.slot(object);
                    reply.putU64(at + CollectReply.INO_OFFSET, lock.ino(object));
                    reply.putU64(at + CollectReply.SLOT_OFFSET, slot);
                    reply.putU64(
                            at + CollectReply.IMAGE_OFFSET + InodeLayout.VERSION_OFFSET,
                            state.store().readLong(slot + InodeLayout.VERSION_OFFSET) & ~InodeLayout.VERSION_LOCKED);
                }
                case CollectRequest.INODE -> {
                    reply.putU64(at + CollectReply.INO_OFFSET, ino);
                    reply.putU64(
                            at + CollectReply.SLOT_OFFSET, image(state, reply, at + CollectReply.IMAGE_OFFSET, ino));
                }
                case CollectRequest.ENTRY -> {
                    reply.putU64(at + CollectReply.INO_OFFSET, ino);
                    reply.putU64(
                            at + CollectReply.SLOT_OFFSET, image(state, reply, at + CollectReply.IMAGE_OFFSET, ino));
                    next = fillEntry(state, request, reply, at, lock, next);
                }
                default -> reply.putU64(at + CollectReply.INO_OFFSET, ino);
            }
        }
    }

    private int fillEntry(
            ServerState state, MessageBuffer request, MessageBuffer reply, int at, HeldLock lock, int next) {
        long ino = message.ino();
        name.read(request, message.nameOffset(), message.nameLength());
        int dentry = state.dentries().find(ino, name);
        if (dentry != 0) {
            long child = state.dentries().child(dentry);
            reply.putU64(at + CollectReply.ENTRY_SLOT_OFFSET, state.dentries().slotOffset(dentry));
            reply.putU64(at + CollectReply.COOKIE_OFFSET, state.dentries().cookie(dentry));
            reply.putU64(at + CollectReply.CHILD_OFFSET, child);
            reply.putU32(at + CollectReply.CHILD_TYPE_OFFSET, state.dentries().type(dentry));
            if (locksChild(state, child)) {
                reply.putU64(
                        at + CollectReply.CHILD_SLOT_OFFSET,
                        image(state, reply, at + CollectReply.CHILD_IMAGE_OFFSET, child));
            }
            return next;
        }
        if ((message.flags() & CollectRequest.FLAG_MAY_INSERT) == 0) {
            return next;
        }
        int object = object(lock, LockRecordLayout.NEW_DENTRY, next);
        reply.putU64(at + CollectReply.ENTRY_SLOT_OFFSET, lock.slot(object));
        reply.putU64(at + CollectReply.COOKIE_OFFSET, state.dentries().takeCookie(ino));
        return object + 1;
    }

    /** Copies an inode's image, with its even version; answers its slot. */
    private static long image(ServerState state, MessageBuffer reply, int at, long ino) {
        long slot = state.inodes().slotOffset(ino);
        reply.putBytes(at, state.store().memory(), slot, InodeLayout.SIZE_BYTES);
        reply.putU64(
                at + InodeLayout.VERSION_OFFSET,
                state.store().readLong(slot + InodeLayout.VERSION_OFFSET) & ~InodeLayout.VERSION_LOCKED);
        return slot;
    }

    private static int object(HeldLock lock, int kind, int from) {
        for (int i = from; i < lock.count(); i++) {
            if (lock.kind(i) == kind) {
                return i;
            }
        }
        throw new IllegalStateException(
                "no object of kind " + kind + " in the lock of " + TransactionId.toString(lock.txnId));
    }
}
