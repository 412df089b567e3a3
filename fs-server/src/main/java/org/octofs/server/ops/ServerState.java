package org.octofs.server.ops;

import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.UnixTime;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ServerClock;
import org.octofs.server.lease.LeaseTable;
import org.octofs.server.lease.LeaseWords;
import org.octofs.server.namespace.DentryTable;
import org.octofs.server.namespace.IndexMarks;
import org.octofs.server.namespace.InodeTable;
import org.octofs.server.namespace.OrphanList;
import org.octofs.server.session.ClientSession;
import org.octofs.server.session.OpenTable;
import org.octofs.server.session.SessionTable;
import org.octofs.server.store.BlobStore;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.MetaTransaction;

/**
 * Everything that handlers work on, in one place.
 * Threading:  confined to the worker.
 * Ownership:  borrows the pool; owns the tables in DRAM.
 */
public final class ServerState {
    private final MetaStore store;
    private final MetaTransaction transaction;
    private final BlobStore blobs;
    private final IndexMarks marks;
    private final InodeTable inodes;
    private final DentryTable dentries;
    private final OrphanList orphans;
    private final OpenTable opens = new OpenTable();
    private final ObjectLocks locks = new ObjectLocks();
    private final SessionTable sessionTable;
    private final LeaseTable leases;
    private final ClusterMap map;
    private final int nodeId;
    private final ServerClock clock;

    private FileContents contents = FileContents.NONE;
    private NamespaceTransactions transactions = NamespaceTransactions.NONE;
    private long nowSeconds;
    private int nowNanos;

    /**
     * A state with empty tables; recovery fills them.
     *
     * @param sessionZoneOffset pool offset of the SESSION_TABLE zone
     * @param sessionZoneBytes its length
     */
    public ServerState(
            MetaStore store,
            long sessionZoneOffset,
            long sessionZoneBytes,
            ClusterMap map,
            int nodeId,
            ServerClock clock) {
        this.store = store;
        this.transaction = new MetaTransaction(store);
        this.blobs = new BlobStore(store);
        this.marks = new IndexMarks(store, sessionZoneOffset);
        this.inodes = new InodeTable(store, marks);
        this.dentries = new DentryTable(store);
        long sessionsBytes = sessionZoneBytes - IndexMarks.AREA_BYTES - LeaseWords.AREA_BYTES;
        this.sessionTable = new SessionTable(store, sessionZoneOffset + IndexMarks.AREA_BYTES, sessionsBytes);
        LeaseWords words = new LeaseWords(store, sessionZoneOffset + sessionZoneBytes - LeaseWords.AREA_BYTES);
        this.leases = new LeaseTable(words, transaction, clock, locks::released);
        this.map = map;
        this.nodeId = nodeId;
        this.clock = clock;
        this.orphans = new OrphanList(clock::monotonicNanos);
    }

    public MetaStore store() {
        return store;
    }

    public BlobStore blobs() {
        return blobs;
    }

    public IndexMarks marks() {
        return marks;
    }

    public InodeTable inodes() {
        return inodes;
    }

    public DentryTable dentries() {
        return dentries;
    }

    public OrphanList orphans() {
        return orphans;
    }

    public OpenTable opens() {
        return opens;
    }

    public ObjectLocks locks() {
        return locks;
    }

    public SessionTable sessionTable() {
        return sessionTable;
    }

    public LeaseTable leases() {
        return leases;
    }

    public ClusterMap map() {
        return map;
    }

    public int nodeId() {
        return nodeId;
    }

    public ServerClock clock() {
        return clock;
    }

    public FileContents contents() {
        return contents;
    }

    /** Fills the seam to blocks; before recovery. */
    public void contents(FileContents value) {
        contents = value;
    }

    public NamespaceTransactions transactions() {
        return transactions;
    }

    /** Fills the seam to operations over several homes; before recovery. */
    public void transactions(NamespaceTransactions value) {
        transactions = value;
    }

    // --------------------------------------------------------------------------------------------- transactions

    /** Begins the one transaction; the time stamps of {@link #nowSeconds} are taken. */
    public MetaTransaction begin(int recordType) {
        takeTime();
        return transaction.begin(recordType);
    }

    /** The one transaction. */
    public MetaTransaction transaction() {
        return transaction;
    }

    /**
     * Stages the outcome of a request next to what it changes, so that a resend after a crash is answered and not executed
     * again, and commits.
     *
     * @param ino what {@link OperationHandler#answerAgain} needs to build the answer
     * @param extra one more number for it
     * @return sequence number of the log record
     */
    public long commit(RpcRequest request, int status, long ino, long extra) {
        record(request, status, ino, extra);
        return transaction.commit();
    }

    /**
     * The first half of {@link #commit}, for those who commit themselves.
     *
     * @throws ObjectLockedException if what is staged changes what the kernels of other clients keep: they are told
     */
    public void record(RpcRequest request, int status, long ino, long extra) {
        requireNotKept(request.clientId());
        ClientSession session = session(request);
        if (session != null && session.tableIndex() != ClientSession.NOT_RECORDED) {
            sessionTable.record(
                    transaction,
                    session.tableIndex(),
                    request.clientId(),
                    request.slot(),
                    request.requestId(),
                    request.opCode(),
                    status,
                    ino,
                    extra);
        }
    }

    private void requireNotKept(long changer) {
        if (leases.isEmpty()) {
            return;
        }
        // All of them, so that the recalls are under way together.
        boolean free = true;
        for (int i = 0; i < transaction.stagedInodeCount(); i++) {
            long ino = store.readLong(transaction.stagedInodeSlot(i) + InodeLayout.INO_OFFSET);
            free &= ino == 0
                    || (transaction.changesRights(i)
                            ? leases.mayChangeRights(ino, changer)
                            : leases.mayChange(ino, changer));
        }
        for (int i = 0; i < transaction.changedEntryCount(); i++) {
            byte[] name = dentries.nameAt(transaction.changedEntrySlot(i));
            free &= leases.mayChangeName(transaction.changedEntryDirectory(i), name, changer);
        }
        if (!free) {
            throw ObjectLockedException.INSTANCE;
        }
    }

    /** The session of a request; null for a request from inside the server. */
    public ClientSession session(RpcRequest request) {
        return request.session() == null
                ? null
                : (ClientSession) request.session().attachment();
    }

    /** Reads the wall clock into {@link #nowSeconds} and {@link #nowNanos}. */
    public void takeTime() {
        long wall = clock.wallNanos();
        nowSeconds = UnixTime.seconds(wall);
        nowNanos = UnixTime.nanos(wall);
    }

    public long nowSeconds() {
        return nowSeconds;
    }

    public int nowNanos() {
        return nowNanos;
    }

    // --------------------------------------------------------------------------------------------- checks

    /** Whether this server is home of an inode's shard. */
    public boolean isHome(long ino) {
        int shard = InodeNumber.shard(ino);
        return shard < map.shardCount() && map.homeOf(shard) == nodeId;
    }

    /**
     * Points a flyweight at an inode that has to be here.
     *
     * @throws OperationException ENOT_HOME if its home is elsewhere, ESTALE if there is none
     * @throws ObjectLockedException if a transaction holds it
     */
    public void require(long ino, InodeRecord record) {
        if (!isHome(ino)) {
            throw OperationException.of(Errno.ENOT_HOME);
        }
        requireUnlocked(ino);
        if (!inodes.find(ino, record)) {
            throw OperationException.of(Errno.ESTALE);
        }
    }

    /** As {@link #require}, and it has to be a directory (ENOTDIR). */
    public void requireDirectory(long ino, InodeRecord record) {
        require(ino, record);
        if (!record.isDirectory()) {
            throw OperationException.of(Errno.ENOTDIR);
        }
    }

    /** As {@link #require}, and it has to be a file with data: EISDIR, ELOOP for a symbolic link, ENXIO for the rest. */
    public void requireRegular(long ino, InodeRecord record) {
        require(ino, record);
        if (!record.isRegular()) {
            throw OperationException.of(FileMode.noData(record.mode()));
        }
    }

    /** As {@link #requireDirectory}, and it must not have been removed (ENOENT): for new entries. */
    public void requireLiveDirectory(long ino, InodeRecord record) {
        requireDirectory(ino, record);
        if (record.nlink() == 0) {
            throw OperationException.of(Errno.ENOENT);
        }
    }

    /** Throws {@link ObjectLockedException} if a transaction holds the inode. */
    public void requireUnlocked(long ino) {
        if (locks.isLocked(ino)) {
            throw ObjectLockedException.INSTANCE;
        }
    }
}
