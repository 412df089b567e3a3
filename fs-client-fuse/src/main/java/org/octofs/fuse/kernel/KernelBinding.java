package org.octofs.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ThreadFactory;
import org.octofs.client.mounts.MountTable;
import org.octofs.fuse.fuse.FuseBinding;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.MountParameters;

/**
 * The binding that speaks the kernel's FUSE protocol itself, by java.lang.foreign alone: requests of up to 1 MiB, several
 * at a time on one file, names as bytes, inodes by number, notifications. Source: linux/fuse.h, fuse(4).
 *
 * <p>Threading: as {@link FuseBinding} says. Ownership: owns the device and its loops until {@link #close}.
 */
public final class KernelBinding implements FuseBinding {
    private static final int NOTIFY_INVAL_INODE = 2;
    private static final int NOTIFY_INVAL_ENTRY = 3;
    /** FUSE_EXPIRE_ONLY, from 7.38 on; kernels before it forget the name. */
    private static final int EXPIRE_ONLY = 1;

    private static final int BUFFER_BYTES = 1 << 16;

    private final ThreadFactory threads;
    private MountParameters parameters;
    private FuseOperations operations;
    private FuseDevice device;
    private KernelSession session;
    private volatile boolean running;

    /** {@code threads} makes the threads that serve requests. */
    public KernelBinding(ThreadFactory threads) {
        this.threads = threads;
    }

    @Override
    public String name() {
        return "kernel";
    }

    @Override
    public void mount(MountParameters mountParameters, FuseOperations fuseOperations) throws IOException {
        parameters = mountParameters;
        operations = fuseOperations;
        device = KernelMount.mount(parameters);
        try {
            session = initialise();
        } catch (IOException | RuntimeException e) {
            closeDevice();
            MountTable.unmount(parameters.directory(), true);
            throw e;
        }
    }

    @Override
    public void run() throws InterruptedException {
        running = true;
        operations.carriedBy(this);
        operations.init();
        try {
            new LoopPool(device, operations, threads, parameters.threadCount(), session).run();
        } finally {
            running = false;
            operations.destroy();
        }
    }

    @Override
    public void unmount(boolean lazily) throws IOException {
        MountTable.unmount(parameters.directory(), lazily);
    }

    @Override
    public boolean invalidateEntry(long parent, byte[] name) {
        return invalidateEntry(parent, name, 0);
    }

    @Override
    public boolean expireEntry(long parent, byte[] name) {
        return invalidateEntry(parent, name, EXPIRE_ONLY);
    }

    private boolean invalidateEntry(long parent, byte[] name, int flags) {
        int length = KernelLayouts.InvalEntryOut.SIZE_BYTES + name.length + 1;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment message = arena.allocate(Answer.BODY + length);
            Native.putLong(message, Answer.BODY + KernelLayouts.InvalEntryOut.PARENT_OFFSET, parent);
            Native.putInt(message, Answer.BODY + KernelLayouts.InvalEntryOut.NAME_LENGTH_OFFSET, name.length);
            Native.putInt(message, Answer.BODY + KernelLayouts.InvalEntryOut.FLAGS_OFFSET, flags);
            int nameAt = Answer.BODY + KernelLayouts.InvalEntryOut.SIZE_BYTES;
            MemorySegment.copy(name, 0, message, ValueLayout.JAVA_BYTE, nameAt, name.length);
            return notify(arena, message, NOTIFY_INVAL_ENTRY);
        }
    }

    @Override
    public boolean invalidateInode(long inode, long offset, long length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment message = arena.allocate(Answer.BODY + KernelLayouts.InvalInodeOut.SIZE_BYTES);
            Native.putLong(message, Answer.BODY + KernelLayouts.InvalInodeOut.NODE_OFFSET, inode);
            Native.putLong(message, Answer.BODY + KernelLayouts.InvalInodeOut.OFFSET_OFFSET, offset);
            Native.putLong(message, Answer.BODY + KernelLayouts.InvalInodeOut.LENGTH_OFFSET, length);
            return notify(arena, message, NOTIFY_INVAL_INODE);
        }
    }

    @Override
    public void close() {
        if (device == null) {
            return;
        }
        try {
            if (MountTable.find(parameters.directory()).isPresent()) {
                MountTable.unmount(parameters.directory(), true);
            }
        } catch (IOException e) {
            // Closing the device ends the connection all the same; what is left is a dead entry in the mount table.
            System.err.println("octofs: " + e.getMessage());
        }
        closeDevice();
    }

    private boolean notify(Arena arena, MemorySegment message, int code) {
        if (!running) {
            return false;
        }
        Native.putInt(message, KernelLayouts.OutHeader.LENGTH_OFFSET, (int) message.byteSize());
        Native.putInt(message, KernelLayouts.OutHeader.ERROR_OFFSET, code);
        Native.putLong(message, KernelLayouts.OutHeader.UNIQUE_OFFSET, 0);
        return device.write(new LinuxCalls.CallState(arena), message, message.byteSize()) > 0;
    }

    /** The first request is always FUSE_INIT; nothing else comes before its answer. */
    private KernelSession initialise() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            LinuxCalls.CallState state = new LinuxCalls.CallState(arena);
            Request request = new Request(arena.allocate(BUFFER_BYTES));
            Answer answer = new Answer(arena.allocate(BUFFER_BYTES));
            long read = device.read(state, request.memory());
            if (read < 0 || !request.begin(read) || request.opcode() != KernelOpcode.INIT) {
                throw new IOException("the kernel did not begin with FUSE_INIT (" + read + ")");
            }
            KernelSession agreed = KernelSession.negotiate(
                    request.memory(),
                    KernelLayouts.InHeader.SIZE_BYTES,
                    answer.memory(),
                    Answer.BODY,
                    parameters,
                    operations.listsWithAttributes());
            answer.filled(KernelLayouts.InitOut.SIZE_BYTES);
            long sent = answer.send(device, state, request.unique(), 0);
            if (sent < 0) {
                throw LinuxCalls.failure("the kernel refused the answer to FUSE_INIT", (int) -sent);
            }
            return agreed;
        }
    }

    private void closeDevice() {
        try (Arena arena = Arena.ofConfined()) {
            device.close(new LinuxCalls.CallState(arena));
        }
        device = null;
    }
}
