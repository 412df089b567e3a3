package org.octofs.fuse.jnr;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.octofs.fuse.fuse.AttributesChange;
import org.octofs.fuse.fuse.AttributesReply;
import org.octofs.fuse.fuse.BytesReply;
import org.octofs.fuse.fuse.DirectoryBuffer;
import org.octofs.fuse.fuse.EntryReply;
import org.octofs.fuse.fuse.LockRange;
import org.octofs.fuse.fuse.OpenReply;
import org.octofs.fuse.fuse.StatisticsReply;

/**
 * A thread that reads requests of one session and serves them, with all that it needs for that, so that a request allocates
 * nothing but its names.
 *
 * <p>Threading:  its fields are its own; the library calls back on the thread that gave it the request.
 * Ownership:  its buffers live as long as the thread.
 */
final class LoopThread extends Thread {
    /** An extended attribute, and a list of their names, is at most this long for the kernel. */
    static final int ATTRIBUTE_BYTES_MAX = 1 << 16;

    private final JnrSession session;
    private final Arena arena = Arena.ofShared();
    final MemorySegment receiveBuffer;
    final MemorySegment replyBuffer;
    final MemorySegment struct;
    final MemorySegment fileStruct;
    private final MemorySegment channelPointer;

    final SessionContext context;
    final EntryReply entry = new EntryReply();
    final AttributesReply attributes = new AttributesReply();
    final OpenReply open = new OpenReply();
    final BytesReply bytes = new BytesReply();
    final AttributesChange change = new AttributesChange();
    final StatisticsReply statistics = new StatisticsReply();
    final DirectoryBuffer directory = new DirectoryBuffer();
    final LockRange lock = new LockRange();

    LoopThread(JnrSession session, String name) {
        super(null, null, name, 0, false);
        this.session = session;
        setDaemon(true);
        context = new SessionContext(session.library());
        receiveBuffer = arena.allocate(session.bufferBytes(), 4096);
        replyBuffer = arena.allocate(Math.max(session.bufferBytes(), ATTRIBUTE_BYTES_MAX + 1), 4096);
        struct = arena.allocate(Math.max(NativeStructs.ENTRY_BYTES, NativeStructs.STATVFS_BYTES), Long.BYTES);
        fileStruct = arena.allocate(NativeStructs.FILE_BYTES, Long.BYTES);
        channelPointer = arena.allocate(ADDRESS);
    }

    static LoopThread current() {
        return (LoopThread) Thread.currentThread();
    }

    @Override
    public void run() {
        try {
            while (serveOne()) {
                // Until the session ends or the pool has enough threads without this one.
            }
        } finally {
            session.ended(this);
            arena.close();
        }
    }

    private boolean serveOne() {
        if (!session.mayWait()) {
            return false;
        }
        // The library may put another channel into the pointer, in theory; ask with a fresh one each time.
        channelPointer.set(JAVA_LONG, 0, session.channel());
        int length =
                session.library().receive(channelPointer.address(), receiveBuffer.address(), session.bufferBytes());
        if (length > 0) {
            session.taken();
            session.library()
                    .process(session.session(), receiveBuffer.address(), length, channelPointer.get(JAVA_LONG, 0));
            return true;
        }
        session.stoppedWaiting();
        return session.goesOnAfter(length);
    }

    /** Fills in who asks for {@code request}. */
    SessionContext begin(long request) {
        long from = session.library().requestContext(request);
        context.request = request;
        context.dropsPages = false;
        context.uid = NativeMemory.getInt(from + NativeStructs.CONTEXT_UID);
        context.gid = NativeMemory.getInt(from + NativeStructs.CONTEXT_GID);
        context.pid = NativeMemory.getInt(from + NativeStructs.CONTEXT_PID);
        context.umask = NativeMemory.getInt(from + NativeStructs.CONTEXT_UMASK);
        return context;
    }

    /** Writes the entry reply as a fuse_entry_param and answers its address. */
    long putEntry() {
        struct.fill((byte) 0);
        struct.set(JAVA_LONG, NativeStructs.ENTRY_INODE, entry.attributes.inode);
        struct.set(JAVA_LONG, NativeStructs.ENTRY_GENERATION, entry.generation);
        StatStruct.put(struct, NativeStructs.ENTRY_STAT, entry.attributes);
        struct.set(
                java.lang.foreign.ValueLayout.JAVA_DOUBLE,
                NativeStructs.ENTRY_ATTRIBUTES_TIMEOUT,
                entry.attributesTimeoutSeconds);
        struct.set(
                java.lang.foreign.ValueLayout.JAVA_DOUBLE,
                NativeStructs.ENTRY_ENTRY_TIMEOUT,
                entry.entryTimeoutSeconds);
        return struct.address();
    }

    /** Writes the attributes reply as a struct stat and answers its address. */
    long putAttributes() {
        struct.fill((byte) 0);
        StatStruct.put(struct, 0, attributes.attributes);
        return struct.address();
    }

    /** Writes the open reply as a fuse_file_info and answers its address. */
    long putOpen() {
        fileStruct.fill((byte) 0);
        int bits = (open.directIo ? NativeStructs.FILE_BIT_DIRECT_IO : 0)
                | (open.keepCache ? NativeStructs.FILE_BIT_KEEP_CACHE : 0);
        fileStruct.set(JAVA_INT, NativeStructs.FILE_BITS, bits);
        fileStruct.set(JAVA_LONG, NativeStructs.FILE_HANDLE, open.handle);
        return fileStruct.address();
    }
}
