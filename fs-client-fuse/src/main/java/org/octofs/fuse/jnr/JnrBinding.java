package org.octofs.fuse.jnr;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.octofs.client.mounts.MountTable;
import org.octofs.fuse.fuse.CallingUser;
import org.octofs.fuse.fuse.FuseBinding;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.MountFlag;
import org.octofs.fuse.fuse.MountParameters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mount through jnr-fuse's libfuse 2, by the library's low-level session.
 *
 * <p>Threading:  as the interface says; {@link #run} starts the loop threads and waits for their end.
 * Ownership:  the native memory of tables and stubs lives until {@link #close}, after the session, which calls them.
 * Limits:     protocol 7.19: requests of 128 KiB, no rename flags, no SEEK_DATA, no readdirplus.
 */
public final class JnrBinding implements FuseBinding {
    /** What the library's own buffers carry. */
    private static final int TRANSFER_BYTES_MAX = 128 << 10;

    private static final String FILE_SYSTEM_TYPE = "octofs";
    private static final Logger LOG = LoggerFactory.getLogger(JnrBinding.class);

    private final Arena arena = Arena.ofShared();
    private LibFuse2 library;
    private LockWaiters waiters;
    private JnrSession session;
    private FuseOperations operations;
    private MountParameters parameters;
    private Path mountPoint;
    private MemorySegment mountPointString;
    private boolean closed;

    @Override
    public String name() {
        return "jnr";
    }

    @Override
    public void mount(MountParameters wanted, FuseOperations served) throws IOException {
        if (session != null || closed) {
            throw new IllegalStateException("a binding mounts once");
        }
        parameters = wanted;
        operations = served;
        mountPoint = wanted.directory().toRealPath();
        library = LibFuseLoader.load();
        waiters = new LockWaiters(library, arena);
        MemorySegment table = OperationTable.build(
                arena,
                MethodHandles.lookup(),
                new ConnectionSetup(served),
                new NodeRequests(served, library),
                new FileRequests(served, library, waiters));
        MemorySegment arguments = arguments(optionList(wanted), wanted.debug());
        // The path as the bytes that the user gave; Java's file names go through the locale's encoding both ways.
        mountPointString = arena.allocateFrom(mountPoint.toString());
        long channel = library.mount(mountPointString.address(), arguments.address());
        if (channel == 0) {
            library.freeArguments(arguments.address());
            throw new IOException("cannot mount on " + mountPoint
                    + ": see the message of libfuse above (is /dev/fuse there and may this user use it?)");
        }
        long created = library.lowLevelNew(arguments.address(), table.address(), OperationTable.SIZE_BYTES, 0);
        library.freeArguments(arguments.address());
        if (created == 0) {
            library.unmount(mountPointString.address(), channel);
            throw new IOException(
                    "cannot mount on " + mountPoint + ": libfuse refused the options " + optionList(wanted));
        }
        library.addChannel(created, channel);
        session = new JnrSession(library, created, channel, wanted.threadCount());
    }

    private static String optionList(MountParameters wanted) {
        StringJoiner options = new StringJoiner(",");
        options.add("fsname=" + wanted.fileSystemName().replace("\\", "\\\\"));
        options.add("subtype=" + FILE_SYSTEM_TYPE);
        // The kernel checks permissions, with the caller's groups, which a request does not carry.
        options.add("default_permissions");
        if (wanted.allowOther()) {
            options.add("allow_other");
        }
        boolean root = CallingUser.isRoot();
        for (MountFlag flag : MountFlag.values()) {
            // fusermount refuses a user who as much as mentions what only root may do without.
            if (wanted.flags().contains(flag)) {
                options.add(flag.option());
            } else if (root) {
                options.add(flag.opposite());
            }
        }
        if (wanted.readOnly()) {
            options.add("ro");
        }
        options.add("max_read=" + Math.min(wanted.maxReadBytes(), TRANSFER_BYTES_MAX));
        options.add("max_write=" + Math.min(wanted.maxWriteBytes(), TRANSFER_BYTES_MAX));
        options.add("max_readahead=" + TRANSFER_BYTES_MAX);
        options.add("big_writes");
        options.add("atomic_o_trunc");
        return options.toString();
    }

    private MemorySegment arguments(String options, boolean debug) {
        List<String> words = new ArrayList<>(List.of(FILE_SYSTEM_TYPE, "-o", options));
        if (debug) {
            words.add("-d");
        }
        MemorySegment vector = arena.allocate(ValueLayout.ADDRESS, words.size() + 1L);
        for (int i = 0; i < words.size(); i++) {
            vector.setAtIndex(ValueLayout.ADDRESS, i, arena.allocateFrom(words.get(i)));
        }
        MemorySegment arguments = arena.allocate(NativeStructs.ARGUMENTS_BYTES, Long.BYTES);
        arguments.set(ValueLayout.JAVA_INT, NativeStructs.ARGUMENTS_COUNT, words.size());
        arguments.set(ValueLayout.ADDRESS, NativeStructs.ARGUMENTS_VECTOR, vector);
        return arguments;
    }

    @Override
    public void run() throws InterruptedException {
        operations.carriedBy(this);
        session.run();
    }

    @Override
    public void unmount(boolean lazily) throws IOException {
        MountTable.unmount(mountPoint, lazily);
    }

    @Override
    public boolean invalidateEntry(long parent, byte[] name) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment string = call.allocate(name.length + 1L);
            MemorySegment.copy(name, 0, string, ValueLayout.JAVA_BYTE, 0, name.length);
            return library.notifyInvalidEntry(session.channel(), parent, string.address(), name.length) == 0;
        }
    }

    @Override
    public boolean expireEntry(long parent, byte[] name) {
        return invalidateEntry(parent, name);
    }

    @Override
    public boolean invalidateInode(long inode, long offset, long length) {
        return library.notifyInvalidInode(session.channel(), inode, offset, length) == 0;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (session != null) {
            // The order is the library's: the session may still be asked by the channel, the mount only needs the
            // channel.
            try {
                waiters.stop();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IllegalStateException e) {
                // Native memory that a thread still uses must not be freed: the process ends soon anyway.
                LOG.warn("session on {} is left to the end of the process: {}", parameters.directory(), e.getMessage());
                return;
            }
            library.removeChannel(session.channel());
            library.destroySession(session.session());
            library.unmount(mountPointString.address(), session.channel());
            operations.destroy();
        }
        arena.close();
    }
}
