package org.octofs.client.data;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.client.link.Statuses;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.GrantReply;
import org.octofs.rpc.protocol.message.ReserveRequest;
import org.octofs.rpc.protocol.message.ReturnBlocksRequest;

/**
 * Blocks that homes have lent to this client. A big file has loans of its own, so that its stripes fall where the home
 * wants them; small files share those of their shard, so that most of them need no RPC. Loans are asked for in growing
 * batches and what is left over goes back.
 *
 * <p>Threading: a file's own loans are guarded by the file's lock, a shard's by the shard's (a leaf).
 */
final class BlockLoans {
    /** Files up to here take from their shard's loans: the first stripe unit, which is on the home node. */
    static final int SMALL_FILE_BLOCKS = 256;

    /** Largest batch: 16 MiB, what one request gets at most. */
    private static final int BATCH_MAX = 4096;

    /** Nobody borrows more of all pools at a time than one of this many parts: others want to write too. */
    private static final int POOL_PARTS = 64;

    /** Smallest batch: 64 KiB. */
    static final int BATCH_MIN = 16;

    private static final int GRANT_BYTES = 16;
    /** What a shard's loans may be in large pools once nobody writes: what {@link #POOL_PARTS} leaves in small ones. */
    private static final int KEPT_BLOCKS_MAX = 1024;

    private static final int GRANTS_PER_RETURN = 1024;

    /** A close reaches the home with some delay, and the kernel adds some of its own; several times as long. */
    private static final long SPACE_COMING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long SPACE_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Links links;
    private final ShardLoans[] shards;
    private volatile long spaceComesUntilNanos;
    private volatile int batchMax = SMALL_FILE_BLOCKS;
    private volatile int keptMax = KEPT_BLOCKS_MAX;
    private Runnable gathering = () -> {};

    private static final class ShardLoans {
        private final ReentrantLock lock = new ReentrantLock();
        private final LoanList loans = new LoanList();
        private int nextBatch = BATCH_MIN;

        /** Of any inode of the shard, to find its home by. */
        private long anyIno;
    }

    BlockLoans(Links links, int shardCount) {
        this.links = links;
        this.spaceComesUntilNanos = links.nanoTime();
        this.shards = new ShardLoans[shardCount];
        for (int i = 0; i < shardCount; i++) {
            shards[i] = new ShardLoans();
        }
    }

    /** {@code gather} shares the loans of files that nobody writes at the moment. Before the first use. */
    void onShortage(Runnable gather) {
        gathering = gather;
    }

    /**
     * Takes a run of blocks for a file: {@code io.runLocation}, {@code io.runBlocks}, 1 to {@code wanted}.
     *
     * @throws FsException ENOSPC when the home has none
     */
    void take(IoContext io, FileState file, long fileBlock, int wanted, long deadlineNanos) throws FsException {
        boolean small = fileBlock < SMALL_FILE_BLOCKS;
        if (takeFrom(io, file.loans, wanted) || (small && takeFromShard(io, file.ino, wanted))) {
            return;
        }
        for (boolean gathered = false; ; ) {
            try {
                reserve(file, fileBlock, nextBatch(file, small, wanted), deadlineNanos);
                break;
            } catch (FsException e) {
                if (e.errno() != Errno.ENOSPC) {
                    throw e;
                }
                if (!gathered) {
                    gathering.run();
                }
                if (takeFromShard(io, file.ino, wanted)) {
                    return;
                }
                if (!gathered) {
                    // What is lent to us for other files and shards is space as well.
                    gathered = true;
                    giveBackToThoseThere(deadlineNanos);
                    continue;
                }
                if (spaceComesUntilNanos - links.nanoTime() <= 0) {
                    throw e;
                }
                // Who has just removed a full file and writes the next must not meet what is only not yet free.
                LockSupport.parkNanos(SPACE_POLL_NANOS);
            }
        }
        if (!takeFrom(io, file.loans, wanted)) {
            throw new FsException(Errno.ENOSPC);
        }
        if (small) {
            share(file);
        }
    }

    /** A file was removed or closed here: if that frees space, its home knows in a moment. */
    void expectSpace() {
        spaceComesUntilNanos = links.nanoTime() + SPACE_COMING_NANOS;
    }

    private int nextBatch(FileState file, boolean small, int wanted) {
        ShardLoans shard = shards[InodeNumber.shard(file.ino)];
        int batch = Math.min(BATCH_MAX, Math.max(wanted, small ? shard.nextBatch : file.nextBatch));
        if (small) {
            shard.nextBatch = Math.min(SMALL_FILE_BLOCKS, batch * 2);
        } else {
            file.nextBatch = Math.min(batchMax, batch * 2);
        }
        return batch;
    }

    private static boolean takeFrom(IoContext io, LoanList loans, int wanted) {
        if (loans.isEmpty()) {
            return false;
        }
        io.runLocation = loans.firstLocation();
        io.runBlocks = Math.min(wanted, loans.firstCount());
        loans.takeFirst(io.runBlocks);
        return true;
    }

    private boolean takeFromShard(IoContext io, long ino, int wanted) {
        ShardLoans shard = shards[InodeNumber.shard(ino)];
        shard.lock.lock();
        try {
            return takeFrom(io, shard.loans, wanted);
        } finally {
            shard.lock.unlock();
        }
    }

    /** How many blocks to ask for with a commit, so that the next write need not ask by itself. */
    int wantedWithCommit(FileState file, long lastBlock) {
        if (lastBlock >= SMALL_FILE_BLOCKS) {
            int missing = file.nextBatch - file.loans.blocks();
            if (missing < file.nextBatch / 4) {
                return 0;
            }
            file.nextBatch = Math.min(batchMax, file.nextBatch * 2);
            return missing;
        }
        ShardLoans shard = shards[InodeNumber.shard(file.ino)];
        shard.lock.lock();
        try {
            int left = shard.loans.blocks() + file.loans.blocks();
            return left < shard.nextBatch / 2 ? shard.nextBatch : 0;
        } finally {
            shard.lock.unlock();
        }
    }

    /** Gives a file's own loans to its shard, at its end or when it turns out to be small. */
    void share(FileState file) {
        if (file.loans.isEmpty()) {
            return;
        }
        ShardLoans shard = shards[InodeNumber.shard(file.ino)];
        shard.lock.lock();
        try {
            shard.anyIno = file.ino;
            file.loans.moveTo(shard.loans);
        } finally {
            shard.lock.unlock();
        }
    }

    /** Returns to the homes what is more than is worth keeping. */
    void trim(long deadlineNanos) throws FsException {
        for (ShardLoans shard : shards) {
            if (shard.loans.blocks() > keptMax) {
                giveBack(shard, keptMax, deadlineNanos);
            }
        }
    }

    /** Who looks for space here does not wait for a server that is away. */
    private void giveBackToThoseThere(long deadlineNanos) throws FsException {
        for (ShardLoans shard : shards) {
            if (!shard.loans.isEmpty() && links.home(shard.anyIno).isConnected()) {
                giveBack(shard, 0, deadlineNanos);
            }
        }
    }

    /** Returns everything to the homes. */
    void giveAllBack(long deadlineNanos) throws FsException {
        for (ShardLoans shard : shards) {
            giveBack(shard, 0, deadlineNanos);
        }
    }

    /** Whether any shard has more than is worth keeping. */
    boolean hasSurplus() {
        for (ShardLoans shard : shards) {
            if (shard.loans.blocks() > keptMax) {
                return true;
            }
        }
        return false;
    }

    private void giveBack(ShardLoans shard, int kept, long deadlineNanos) throws FsException {
        LoanList surplus = new LoanList();
        LoanList unsafe = new LoanList(); // its home would lend it to others, whose data could be written over
        long ino;
        shard.lock.lock();
        try {
            ino = shard.anyIno;
            while (shard.loans.blocks() > kept) {
                int count = Math.min(shard.loans.firstCount(), shard.loans.blocks() - kept);
                long location = shard.loans.firstLocation();
                boolean mayBeStoredTo = links.node(BlockLocation.node(location)).mayStoreLate();
                (mayBeStoredTo ? unsafe : surplus).add(location, count);
                shard.loans.takeFirst(count);
            }
            unsafe.moveTo(shard.loans);
        } finally {
            shard.lock.unlock();
        }
        while (!surplus.isEmpty()) {
            returnSome(ino, surplus, deadlineNanos);
        }
    }

    private void returnSome(long ino, LoanList surplus, long deadlineNanos) throws FsException {
        int maxBytes = ReturnBlocksRequest.FIXED_BYTES + GRANTS_PER_RETURN * GRANT_BYTES;
        LoanList sent = new LoanList();
        while (!surplus.isEmpty() && sent.runs() < GRANTS_PER_RETURN) {
            sent.add(surplus.firstLocation(), surplus.firstCount());
            surplus.takeFirst(surplus.firstCount());
        }
        links.call(
                links.home(ino),
                OpCode.RETURN_BLOCKS,
                maxBytes,
                deadlineNanos,
                body -> {
                    ReturnBlocksRequest request = new ReturnBlocksRequest().wrap(body);
                    request.ino(ino).grantsCount(sent.runs());
                    for (int i = 0; i < sent.runs(); i++) {
                        int at = request.grants(i);
                        body.putU64(at, sent.location(i));
                        body.putU32(at + Long.BYTES, sent.count(i));
                        body.putU32(at + Long.BYTES + Integer.BYTES, 0);
                    }
                    return request.bodyBytes();
                },
                (status, body) -> {
                    if (status != 0) {
                        throw Statuses.exception(status, "RETURN_BLOCKS");
                    }
                });
    }

    private void reserve(FileState file, long fileBlock, int batch, long deadlineNanos) throws FsException {
        long blocksOfAll = links.home(file.ino).pool(deadlineNanos).sizeBytes() / IoContext.BLOCK * links.nodeCount();
        batchMax = (int) Math.max(SMALL_FILE_BLOCKS, Math.min(BATCH_MAX, blocksOfAll / POOL_PARTS));
        keptMax = Math.clamp(blocksOfAll / POOL_PARTS / shards.length, BATCH_MIN, KEPT_BLOCKS_MAX);
        links.call(
                links.home(file.ino),
                OpCode.RESERVE,
                ReserveRequest.FIXED_BYTES,
                deadlineNanos,
                body -> new ReserveRequest()
                        .wrap(body)
                        .ino(file.ino)
                        .firstBlock(fileBlock)
                        .blockCount(batch)
                        .reserved(0)
                        .bodyBytes(),
                (status, body) -> {
                    if (status != 0) {
                        throw Statuses.exception(status, "RESERVE");
                    }
                    GrantReply reply = new GrantReply().wrap(body);
                    for (int i = 0; i < reply.grantsCount(); i++) {
                        addGrant(file, body, reply.grants(i));
                    }
                });
    }

    /** The home has committed something of a file. */
    void committed(FileState file) {
        links.changed(file.ino);
    }

    /** Takes a grant out of a reply. */
    void addGrant(FileState file, MessageBuffer body, int at) {
        int count = body.getI32(at + Long.BYTES);
        file.loans.add(body.getU64(at), count);
        links.counters().add(ClientCounter.BLOCKS_LENT, count);
    }
}
