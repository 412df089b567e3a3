package org.octofs.server.txn;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.agrona.collections.LongArrayList;
import org.octofs.pmem.PoolFullException;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CollectRequest;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcException;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.server.namespace.Name;
import org.octofs.server.ops.InodeChanges;
import org.octofs.server.ops.ObjectLockedException;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The coordinator's side of one request over several homes. A subclass says what it needs ({@link #plan}), judges what it has
 * got ({@link #decide}), which may need more, and computes the outcome ({@link #stage}); the rest is the same for all:
 *
 * <pre>
 *  plan: lock here ─► COLLECT to each participant ─► decide ─► one log record: durable = committed, applied here
 *        ─► answer ─► WRITEs of images, then of the release word, to each participant ─► (later) FLUSHED, drop the record
 * </pre>
 *
 * <p>The client is answered before anything is posted: a participant that is woken by the WRITEs would take the processor, or the
 * wire, that the answer needs. Whoever comes for the participant's half meanwhile finds it locked, and waits.
 *
 * <p>Objects here are locked in DRAM only: if this server ends before the append, nothing has happened. They are changed and
 * visible before the participants' locks are released, so that nobody sees the participants' half first.
 * Whatever is busy or unreachable has everything given back and tried again from the beginning, after a random pause that
 * grows, until the client's deadline (ELOCKED): nothing is waited for with a lock in hand.
 * Threading:  confined to the worker; every method runs to its end.
 * Ownership:  the request, until it is answered, exactly once.
 */
abstract class CollectDispatchTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(CollectDispatchTransaction.class);
    private static final byte[] NO_NAME = {};
    /** A COLLECT without an answer for so long is given up, and what is locked meanwhile is free again. */
    private static final long COLLECT_NANOS = 2_000_000_000L;

    protected final Coordinator coordinator;
    protected final ServerState state;
    protected final RpcRequest request;

    private final Collected collected;
    private final LongArrayList localLocks = new LongArrayList();
    private final Name name = new Name();
    private long txnId;
    private int attempts;
    private int outstanding;
    private Errno failure = Errno.OK;
    private boolean finished;
    private boolean extraCall;

    CollectDispatchTransaction(Coordinator coordinator, RpcRequest request) {
        this.coordinator = coordinator;
        this.state = coordinator.state();
        this.request = request;
        this.collected = new Collected(coordinator);
    }

    // ------------------------------------------------------------------------------------- for the subclass

    /**
     * Checks what is here, locks it ({@link #lockHere}) and asks for the rest ({@link #want}). Runs again, from nothing, after each
     * pause: what was true before may not be now.
     */
    protected abstract void plan();

    /** Everything asked for is there and locked. May ask for more, and is then called again; may finish without a change. */
    protected abstract void decide();

    /** Stages everything; cannot fail but by {@link PoolFullException}. */
    protected abstract void stage(MetaTransaction tx);

    /** Answers the request. Only called when the transaction is durable. */
    protected abstract void answer();

    /** What {@link org.octofs.server.ops.OperationHandler#answerAgain} is to be told: an inode number. */
    protected abstract long recordedIno();

    /** And one more number. */
    protected abstract long recordedExtra();

    protected final long txnId() {
        return txnId;
    }

    /** Takes an object of this server. */
    protected final void lockHere(long ino) {
        // What kernels keep is recalled before others are asked for anything.
        if (!state.leases().mayChange(ino, request.clientId()) || !state.locks().tryLock(ino, txnId)) {
            throw BusyException.INSTANCE;
        }
        localLocks.addLong(ino);
    }

    /** Takes a live directory of this server. */
    protected final InodeRecord lockDirectoryHere(long ino, boolean forNewEntry) {
        InodeRecord record = new InodeRecord();
        if (!state.isHome(ino)) {
            throw OperationException.of(Errno.ENOT_HOME);
        }
        lockHere(ino);
        if (!state.inodes().find(ino, record)) {
            throw OperationException.of(Errno.ESTALE);
        }
        if (!record.isDirectory()) {
            throw OperationException.of(Errno.ENOTDIR);
        }
        if (forNewEntry && record.nlink() == 0) {
            throw OperationException.of(Errno.ENOENT);
        }
        return record;
    }

    /** Finds an entry of a locked directory of this server. */
    protected final Entry entryHere(long directory, byte[] entryName) {
        Entry entry = new Entry(directory, entryName, -1);
        OperationException.check(name.set(entryName));
        entry.reference = state.dentries().find(directory, name);
        if (entry.reference != 0) {
            entry.child = state.dentries().child(entry.reference);
            entry.childType = state.dentries().type(entry.reference);
        }
        return entry;
    }

    /** Wants an inode of another server, or takes it here; known by {@link #inode} when {@link #decide} is called (again). */
    protected final void wantInode(long ino, int flags) {
        if (state.isHome(ino)) {
            lockHere(ino);
        } else if (remote(ino) == null) {
            want(homeOf(ino), CollectRequest.INODE, flags, ino, 0, NO_NAME, null);
        }
    }

    /** Wants a number and a slot for an inode in another server's shard. */
    protected final void wantNewInode(int shard) {
        want(state.map().homeOf(shard), CollectRequest.NEW_INODE, 0, 0, shard, NO_NAME, null);
    }

    /** Wants a directory of another server with an entry of it. */
    protected final Entry wantEntry(long directory, byte[] entryName, int flags) {
        int node = homeOf(directory);
        Entry entry = new Entry(directory, entryName, node);
        want(node, CollectRequest.ENTRY, flags, directory, 0, entryName, entry);
        return entry;
    }

    /** Wants a lock on a number that {@code shard}'s home keeps. */
    protected final void wantToken(long token, int shard) {
        int node = state.map().homeOf(shard);
        if (node == state.nodeId()) {
            lockHere(token);
        } else {
            want(node, CollectRequest.TOKEN, 0, token, shard, NO_NAME, null);
        }
    }

    private void want(int node, int kind, int flags, long ino, int shard, byte[] entryName, Entry entry) {
        if (!coordinator.peers().isReady(node)) {
            throw BusyException.INSTANCE;
        }
        collected.want(node, new CollectedNode.Wanted(kind, flags, ino, shard, entryName, entry));
    }

    /** The image of a collected inode, or of one here, for reading. */
    protected final InodeRecord inode(long ino) {
        RemoteInode remote = remote(ino);
        if (remote != null) {
            return remote.record;
        }
        InodeRecord record = new InodeRecord();
        if (!state.isHome(ino) || !state.inodes().find(ino, record)) {
            // A name leads to nothing: not the client's doing.
            LOG.error("inode {} is named by a directory and does not exist", Long.toHexString(ino));
            throw OperationException.of(Errno.EIO);
        }
        return record;
    }

    /** The same to be changed, in {@link #stage}. */
    protected final InodeRecord edit(MetaTransaction tx, long ino) {
        RemoteInode remote = remote(ino);
        return remote != null ? remote.edit() : state.inodes().edit(tx, ino);
    }

    /** The collected inode with this number; null if there is none. */
    protected final RemoteInode remote(long ino) {
        return collected.inode(ino);
    }

    /** The only collected inode. */
    protected final RemoteInode onlyRemote() {
        return collected.onlyInode();
    }

    protected final int homeOf(long ino) {
        int shard = InodeNumber.shard(ino);
        if (shard >= state.map().shardCount()) {
            throw OperationException.of(Errno.ESTALE);
        }
        return state.map().homeOf(shard);
    }

    /** Stages a new entry, or another child for one that exists. The directory's inode is the caller's business. */
    protected final void put(MetaTransaction tx, Entry entry, long child, int type) {
        OperationException.check(name.set(entry.name));
        if (entry.node >= 0) {
            entry.image = MemorySegment.ofArray(new byte[DentryLayout.LARGE_SLOT_BYTES]);
            int length = state.dentries().image(entry.directory, entry.cookie, name, child, type, entry.image, 0);
            entry.image = entry.image.asSlice(0, length);
        } else if (entry.reference != 0) {
            state.dentries().replaceChild(tx, entry.reference, child, type);
        } else {
            state.dentries().insert(tx, entry.directory, name, child, type);
        }
    }

    /** An inode loses a name; a directory, which is empty, its only one. Elsewhere it stays as an orphan, which its home frees. */
    protected final void drop(MetaTransaction tx, InodeChanges changes, long ino, int type) {
        RemoteInode remote = remote(ino);
        boolean directory = type == FileMode.DIRECTORY;
        if (remote == null) {
            InodeRecord inode = state.inodes().edit(tx, ino);
            if (directory) {
                changes.dropDirectory(tx, inode);
            } else {
                changes.dropName(tx, inode);
            }
        } else {
            InodeRecord inode = remote.edit();
            inode.nlink(directory ? 0 : inode.nlink() - 1);
            changes.touch(inode);
        }
    }

    /** Whether something was asked for that is not there yet. */
    protected final boolean hasMore() {
        return collected.hasMore();
    }

    /** Calls a server about this transaction; {@code then} runs unless the transaction was given up meanwhile. */
    protected final void call(int node, int opCode, int bodyBytes, Filler filler, Reply then) {
        RpcCall call;
        try {
            call = coordinator.peers().begin(node, opCode, bodyBytes, callDeadline());
        } catch (RpcException e) {
            throw BusyException.INSTANCE;
        }
        filler.fill(call.request());
        extraCall = true;
        long asked = txnId;
        call.sendAsync(bodyBytes, (done, problem) -> {
            try (done) {
                if (asked == txnId && !finished) {
                    extraCall = false;
                    if (problem != null) {
                        giveUp(Errno.EBUSY);
                    } else {
                        guard(() -> then.answered(Errno.of(done.errno()), done.reply()));
                    }
                }
            }
        });
    }

    /** Fills a request. */
    interface Filler {
        void fill(MessageBuffer body);
    }

    /** Takes an answer. */
    interface Reply {
        void answered(Errno errno, MessageBuffer body);
    }

    /** Goes on after a {@link #call}. */
    protected final void goOn() {
        proceed();
    }

    /** Ends without any change; the subclass has answered. */
    protected final void finishUnchanged() {
        finished = true;
        release();
        coordinator.finished(this);
    }

    // ---------------------------------------------------------------------------------------------- the course

    /** Begins, or begins again. */
    final void run() {
        attempts++;
        txnId = coordinator.begin(this);
        guard(() -> {
            plan();
            coordinator.observer().reached(TxnStep.PLANNED, txnId);
            proceed();
        });
    }

    /** Turns what the steps throw into what happens next. */
    private void guard(Runnable steps) {
        try {
            steps.run();
        } catch (BusyException | ObjectLockedException e) {
            giveUp(Errno.EBUSY);
        } catch (OperationException e) {
            giveUp(e.errno());
        } catch (PoolFullException e) {
            giveUp(Errno.ENOSPC);
        } catch (RuntimeException e) {
            if (finished || state.transaction().isCommitting()) {
                throw e;
            }
            LOG.error("transaction {} failed", TransactionId.toString(txnId), e);
            giveUp(Errno.EIO);
        }
    }

    private void proceed() {
        if (sendCollects() || extraCall || finished) {
            return;
        }
        decide();
        if (finished || extraCall || sendCollects()) {
            return;
        }
        commit();
    }

    private boolean sendCollects() {
        boolean sent = false;
        for (CollectedNode node : collected.nodes()) {
            if (!node.wanted.isEmpty()) {
                collect(node);
                sent = true;
            }
        }
        return sent || outstanding > 0;
    }

    private void collect(CollectedNode node) {
        int bytes = CollectRequest.FIXED_BYTES;
        for (CollectedNode.Wanted wanted : node.wanted) {
            bytes += CollectRequest.itemBytes(wanted.name().length);
        }
        RpcCall call;
        try {
            call = coordinator.peers().begin(node.node, OpCode.COLLECT, bytes, callDeadline());
        } catch (RpcException e) {
            throw BusyException.INSTANCE;
        }
        CollectRequest message = new CollectRequest().begin(call.request(), txnId, request.clientId());
        List<CollectedNode.Wanted> asked = List.copyOf(node.wanted);
        node.wanted.clear();
        for (CollectedNode.Wanted wanted : asked) {
            message.add(wanted.kind(), wanted.flags(), wanted.ino(), wanted.shard(), wanted.name());
        }
        node.waiting = true;
        outstanding++;
        long attempt = txnId;
        call.sendAsync(message.bodyBytes(), (done, problem) -> {
            try (done) {
                if (attempt == txnId && !finished) {
                    collectAnswered(node, asked, done, problem);
                } else if (problem == null && done.errno() == 0) {
                    // Too late: given up meanwhile. The participant was told by ABORT, or asks by itself.
                    LOG.debug("late answer for {}", TransactionId.toString(attempt));
                }
            }
        });
    }

    private long callDeadline() {
        long limit = state.clock().monotonicNanos() + COLLECT_NANOS;
        return limit - request.deadlineNanos() < 0 ? limit : request.deadlineNanos();
    }

    private void collectAnswered(
            CollectedNode node, List<CollectedNode.Wanted> asked, RpcCall call, RpcException problem) {
        outstanding--;
        node.waiting = false;
        if (problem != null) {
            node.unknown = true;
            fail(Errno.EBUSY);
        } else if (call.errno() != 0) {
            fail(Errno.of(call.errno()));
        } else {
            collected.take(node, asked, call.reply());
            coordinator.observer().reached(TxnStep.COLLECTED, txnId);
        }
        if (outstanding > 0) {
            return;
        }
        if (failure != Errno.OK) {
            giveUp(failure);
        } else {
            guard(this::proceed);
        }
    }

    /** An expected answer outranks "busy": trying again would not change it. */
    private void fail(Errno errno) {
        if (failure == Errno.OK || failure == Errno.EBUSY) {
            failure = errno;
        }
    }

    private void commit() {
        MetaTransaction tx = state.begin(RecordType.DISTRIBUTED);
        tx.shard(state.nodeId());
        stage(tx);
        List<Dispatch> dispatches = collected.dispatches(txnId);
        if (!dispatches.isEmpty()) {
            if (!coordinator.log().hasRoom(dispatches)) {
                // Until participants have confirmed older ones.
                throw BusyException.INSTANCE;
            }
            tx.retain(txnId);
            for (Dispatch dispatch : dispatches) {
                tx.payload(dispatch.node, dispatch.writes.segment(), 0, dispatch.writes.encodedBytes());
            }
        }
        state.record(request, 0, recordedIno(), recordedExtra());
        coordinator.observer().reached(TxnStep.STAGED, txnId);
        long sequence = tx.commit();
        // From here on it has happened, whatever becomes of anybody.
        finished = true;
        coordinator.observer().reached(TxnStep.COMMITTED, txnId);
        if (!dispatches.isEmpty()) {
            coordinator.log().add(txnId, sequence, dispatches, state.clock().monotonicNanos());
        }
        unlockHere();
        answer();
        coordinator.observer().reached(TxnStep.ANSWERED, txnId);
        if (!dispatches.isEmpty()) {
            for (int i = 0; i < dispatches.size(); i++) {
                CollectedNode node = collected.nodes().get(i);
                if (collected.isSameLife(node)) {
                    coordinator.log().post(dispatches.get(i), node.incarnation);
                }
            }
        }
        coordinator.observer().reached(TxnStep.DISPATCHED, txnId);
        coordinator.finished(this);
    }

    // ---------------------------------------------------------------------------------------------- giving up

    /** Nothing has happened: gives everything back, then answers or, if something was busy, tries again later. */
    private void giveUp(Errno errno) {
        state.transaction().abort();
        coordinator.observer().reached(TxnStep.ABORTING, txnId);
        release();
        boolean again = errno == Errno.EBUSY || errno == Errno.ENOLCK;
        if (again && coordinator.retry(this, attempts)) {
            return;
        }
        finished = true;
        request.send(again ? Errno.ELOCKED.value : errno.value, 0);
        coordinator.finished(this);
    }

    private void release() {
        collected.giveBack(txnId);
        unlockHere();
        coordinator.observer().reached(TxnStep.ABORT_DISPATCHED, txnId);
        coordinator.forget(txnId);
        outstanding = 0;
        extraCall = false;
        failure = Errno.OK;
        // Late answers are for nobody.
        txnId = 0;
    }

    private void unlockHere() {
        for (int i = 0; i < localLocks.size(); i++) {
            state.locks().unlock(localLocks.getLong(i), txnId);
        }
        localLocks.clear();
    }
}
