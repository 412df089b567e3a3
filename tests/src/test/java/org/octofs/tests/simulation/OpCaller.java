package org.octofs.tests.simulation;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.FsStatistics;
import org.octofs.client.client.LockSpec;
import org.octofs.client.client.OpenDirectory;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.tests.model.Op;
import org.octofs.tests.simulation.cluster.SimKernel;

/** Makes the calls of a history on a client, and writes the answers into them. */
public final class OpCaller {
    /** How many pieces range locks are made of, and how long one is; the last goes on without end. */
    static final int PIECES = 8;

    private static final int ENTRIES_MAX = 64;
    private static final long PIECE_BYTES = 100;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final FsClient client;
    private final SimKernel kernel;
    private final Attributes attributes = new Attributes();

    /** Calls of a client. */
    public OpCaller(FsClient client) {
        this(client, null);
    }

    /** Calls of a client, below what keeps names and attributes; null for nothing. */
    public OpCaller(FsClient client, SimKernel kernel) {
        this.client = client;
        this.kernel = kernel;
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Calls.
     *
     * @param file for operations on an open file
     * @return what CREATE, TMPFILE and OPEN have opened, else null
     */
    public OpenFile call(Op op, OpenFile file) throws FsException {
        return kernel == null ? callClient(op, file) : callBelowKernel(op, file);
    }

    /** Copies from one open file to another; {@code op} is a COPY. */
    public void copy(Op op, OpenFile source, OpenFile file) throws FsException {
        try {
            op.resultCount = client.copy(source, op.sourceOffset, file, op.offset, op.length);
            op.errno = 0;
        } finally {
            if (kernel != null) {
                kernel.changed(op.ino, true);
            }
        }
    }

    private OpenFile callBelowKernel(Op op, OpenFile file) throws FsException {
        switch (op.kind) {
            case LOOKUP -> {
                kernel.lookup(client, op.ino, bytes(op.name), attributes);
                takeIno(op);
                op.errno = 0;
                return null;
            }
            case GETATTR -> {
                kernel.getAttributes(client, op.ino, attributes);
                takeAttributes(op);
                op.errno = 0;
                return null;
            }
            case CREATE, MKDIR, SYMLINK, MKNOD, UNLINK, RMDIR -> {
                return changingNames(op, file, op.ino);
            }
            case RENAME -> {
                return changingNames(op, file, op.ino, op.newParent);
            }
            case LINK -> {
                return changingNames(op, file, op.newParent);
            }
            default -> {
                try {
                    return callClient(op, file);
                } finally {
                    switch (op.kind) {
                        case LOCK, UNLOCK, RANGE_LOCK, RANGE_UNLOCK, TMPFILE, STATFS, SYNC -> {}
                        case SETMODE, SETOWNER, SETTIMES, WRITE, APPEND, TRUNCATE -> kernel.changed(op.ino, true);
                        case OPEN -> {
                            if (op.changesData()) {
                                kernel.changed(op.ino, true);
                            }
                        }
                        default -> kernel.changed(op.ino, false);
                    }
                }
            }
        }
    }

    private OpenFile changingNames(Op op, OpenFile file, long... directories) throws FsException {
        kernel.changing(true, directories);
        try {
            OpenFile opened = callClient(op, file);
            switch (op.kind) {
                case UNLINK, RMDIR -> kernel.removed(op.ino, bytes(op.name));
                case RENAME ->
                    kernel.moved(op.ino, bytes(op.name), op.newParent, bytes(op.newName), (op.flags & 2) != 0);
                case LINK -> kernel.changed(op.ino, false);
                default -> {}
            }
            return opened;
        } finally {
            kernel.changing(false, directories);
        }
    }

    private OpenFile callClient(Op op, OpenFile file) throws FsException {
        OpenFile opened = null;
        switch (op.kind) {
            case LOOKUP -> {
                client.lookup(op.ino, bytes(op.name), attributes);
                takeIno(op);
            }
            case GETATTR -> {
                client.getAttributes(op.ino, attributes);
                takeAttributes(op);
            }
            case CREATE -> {
                int flags = OpenFlags.RDWR | ((op.flags & 1) != 0 ? OpenFlags.EXCL : 0);
                opened = client.create(op.ino, bytes(op.name), op.mode, 0, 0, flags, attributes);
                op.resultIno = opened.ino();
            }
            case MKDIR -> {
                client.mkdir(op.ino, bytes(op.name), op.mode, 0, 0, attributes);
                takeIno(op);
            }
            case SYMLINK -> {
                client.symlink(op.ino, bytes(op.name), bytes(op.newName), 0, 0, attributes);
                takeIno(op);
            }
            case MKNOD -> {
                client.mknod(op.ino, bytes(op.name), op.mode, 0, 0, 0, attributes);
                takeIno(op);
            }
            case TMPFILE -> {
                int flags = OpenFlags.RDWR | (op.flags != 0 ? OpenFlags.EXCL : 0);
                opened = client.createUnnamed(op.ino, op.mode, 0, 0, 0, flags, attributes);
                op.resultIno = opened.ino();
            }
            case LINK -> {
                client.link(op.ino, op.newParent, bytes(op.newName), attributes);
                takeIno(op);
            }
            case UNLINK -> client.unlink(op.ino, bytes(op.name));
            case RMDIR -> client.rmdir(op.ino, bytes(op.name));
            case RENAME -> client.rename(op.ino, bytes(op.name), op.newParent, bytes(op.newName), op.flags);
            case READLINK -> op.resultBytes = client.readlink(op.ino);
            case READDIR -> list(op);
            case STATFS -> client.statfs(new FsStatistics());
            case SYNC -> client.sync();
            case SETMODE -> client.setAttributes(op.ino, new AttributeChange().mode(op.mode), attributes);
            case SETOWNER ->
                client.setAttributes(op.ino, new AttributeChange().uid(op.flags).gid(op.mode), attributes);
            case SETTIMES -> {
                long seconds = Math.floorDiv(op.time, NANOS_PER_SECOND);
                int nanos = (int) Math.floorMod(op.time, NANOS_PER_SECOND);
                AttributeChange change = new AttributeChange().accessTime(seconds, nanos);
                client.setAttributes(op.ino, change.modificationTime(seconds, nanos), attributes);
            }
            case SETXATTR -> client.setXattr(op.ino, bytes(op.name), op.data, op.flags);
            case LISTXATTR -> op.resultBytes = client.listXattr(op.ino);
            case GETXATTR -> op.resultBytes = client.getXattr(op.ino, bytes(op.name));
            case REMOVEXATTR -> client.removeXattr(op.ino, bytes(op.name));
            case OPEN -> opened = client.open(op.ino, OpenFlags.RDWR | (op.flags != 0 ? OpenFlags.TRUNC : 0));
            default -> callOnFile(op, file);
        }
        op.errno = 0;
        return opened;
    }

    /** Gives back what a call has opened. */
    public void release(OpenFile opened) {
        client.release(opened);
    }

    private void callOnFile(Op op, OpenFile file) throws FsException {
        switch (op.kind) {
            case WRITE -> {
                MemorySegment source = MemorySegment.ofArray(op.data);
                op.resultSize = client.write(file, op.offset, source, 0, op.data.length);
            }
            case READ -> {
                byte[] target = new byte[op.length];
                int count = client.read(file, op.offset, MemorySegment.ofArray(target), 0, op.length);
                op.resultBytes = java.util.Arrays.copyOf(target, count);
            }
            case TRUNCATE -> client.setAttributes(op.ino, new AttributeChange().sizeBytes(op.offset), attributes);
            case PUNCH -> client.fallocate(file, 3, op.offset, op.length);
            case ZERO -> client.fallocate(file, 17, op.offset, op.length);
            case SEEK -> op.resultSize = client.seek(file, op.offset, op.flags == 0 ? 3 : 4);
            case ALLOCATE -> client.fallocate(file, op.flags & 1, op.offset, op.length);
            case FSYNC -> client.fsync(file, false);
            case FLUSH -> client.flush(file, op.owner);
            case LOCK ->
                client.lock(
                        file,
                        LockSpec.flock(op.flags != 0 ? LockSpec.TYPE_WRITE : LockSpec.TYPE_READ, op.owner),
                        false);
            case UNLOCK -> client.lock(file, LockSpec.flock(LockSpec.TYPE_UNLOCK, op.owner), false);
            case RANGE_LOCK ->
                client.lock(file, range(op, op.flags != 0 ? LockSpec.TYPE_WRITE : LockSpec.TYPE_READ), false);
            case RANGE_UNLOCK -> client.lock(file, range(op, LockSpec.TYPE_UNLOCK), false);
            case APPEND -> append(op, file);
            default -> throw new IllegalArgumentException("no call for " + op);
        }
    }

    private static LockSpec range(Op op, int type) {
        long pieces = op.offset + op.length;
        long end = pieces == PIECES ? LockSpec.TO_END : pieces * PIECE_BYTES - 1;
        return LockSpec.posix(type, op.owner, op.offset * PIECE_BYTES, end, 1);
    }

    private void append(Op op, OpenFile file) throws FsException {
        OpenFile appending = client.open(file.ino(), OpenFlags.RDWR | OpenFlags.APPEND);
        try {
            op.resultCount = client.write(appending, 0, MemorySegment.ofArray(op.data), 0, op.data.length);
            op.resultSize = appending.lastAppendEnd();
        } finally {
            client.release(appending);
        }
    }

    private void takeAttributes(Op op) {
        op.resultMode = attributes.mode();
        op.resultLinks = attributes.linkCount();
        op.resultSize = attributes.sizeBytes();
        op.resultEntries = attributes.entryCount();
        op.resultOwner = attributes.uid();
        op.resultGroup = attributes.gid();
        op.resultModified = attributes.modificationSeconds() * NANOS_PER_SECOND + attributes.modificationNanos();
    }

    private void takeIno(Op op) {
        op.resultIno = attributes.ino();
        op.resultMode = attributes.mode();
    }

    /** In one go: what is added and removed between two parts of a listing may be in both or in none. */
    private void list(Op op) throws FsException {
        OpenDirectory directory = client.openDirectory(op.ino);
        if (op.flags == 0) {
            client.readDirectory(
                    directory,
                    0,
                    (ino, type, names, nameOffset, nameLength, next) -> listed(op, ino, names, nameOffset, nameLength));
        } else {
            client.readDirectoryWithAttributes(
                    directory,
                    0,
                    ENTRIES_MAX,
                    (ino, type, names, nameOffset, nameLength, next, entry) ->
                            listed(op, ino, names, nameOffset, nameLength));
        }
        client.releaseDirectory(directory);
    }

    private static boolean listed(Op op, long ino, MemorySegment names, long nameOffset, int nameLength) {
        byte[] name = new byte[nameLength];
        MemorySegment.copy(names, ValueLayout.JAVA_BYTE, nameOffset, name, 0, nameLength);
        String text = new String(name, StandardCharsets.UTF_8);
        if (!text.equals(".") && !text.equals("..")) {
            op.resultNames.put(text, ino);
        }
        return true;
    }
}
