package org.octofs.tests.simulation;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.LockSpec;
import org.octofs.client.client.OpenDirectory;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.tests.model.Op;
import org.octofs.tests.model.OpKind;
import org.octofs.tests.simulation.cluster.SimKernel;

/** Makes the calls of a history on a client, and writes the answers into them. */
public final class OpCaller {
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
     * @return what CREATE and OPEN have opened, else null
     */
    public OpenFile call(Op op, OpenFile file) throws FsException {
        return kernel == null ? callClient(op, file) : callBelowKernel(op, file);
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
            case CREATE, MKDIR, SYMLINK, UNLINK, RMDIR -> {
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
                    if (op.kind != OpKind.LOCK && op.kind != OpKind.UNLOCK && op.kind != OpKind.OPEN) {
                        boolean outdates = op.kind == OpKind.SETMODE
                                || op.kind == OpKind.WRITE
                                || op.kind == OpKind.APPEND
                                || op.kind == OpKind.TRUNCATE;
                        kernel.changed(op.ino, outdates);
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
            case LINK -> {
                client.link(op.ino, op.newParent, bytes(op.newName), attributes);
                takeIno(op);
            }
            case UNLINK -> client.unlink(op.ino, bytes(op.name));
            case RMDIR -> client.rmdir(op.ino, bytes(op.name));
            case RENAME -> client.rename(op.ino, bytes(op.name), op.newParent, bytes(op.newName), op.flags);
            case READLINK -> op.resultBytes = client.readlink(op.ino);
            case READDIR -> list(op);
            case SETMODE -> client.setAttributes(op.ino, new AttributeChange().mode(op.mode), attributes);
            case SETXATTR -> client.setXattr(op.ino, bytes(op.name), op.data, 0);
            case GETXATTR -> op.resultBytes = client.getXattr(op.ino, bytes(op.name));
            case REMOVEXATTR -> client.removeXattr(op.ino, bytes(op.name));
            case OPEN -> opened = client.open(op.ino, OpenFlags.RDWR);
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
            case ALLOCATE -> client.fallocate(file, op.flags & 1, op.offset, op.length);
            case FSYNC -> client.fsync(file, false);
            case LOCK ->
                client.lock(
                        file,
                        LockSpec.flock(op.flags != 0 ? LockSpec.TYPE_WRITE : LockSpec.TYPE_READ, op.owner),
                        false);
            case UNLOCK -> client.lock(file, LockSpec.flock(LockSpec.TYPE_UNLOCK, op.owner), false);
            case APPEND -> append(op, file);
            default -> throw new IllegalArgumentException("no call for " + op);
        }
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
    }

    private void takeIno(Op op) {
        op.resultIno = attributes.ino();
        op.resultMode = attributes.mode();
    }

    /** In one go: what is added and removed between two parts of a listing may be in both or in none. */
    private void list(Op op) throws FsException {
        OpenDirectory directory = client.openDirectory(op.ino);
        client.readDirectory(directory, 0, (ino, type, names, nameOffset, nameLength, next) -> {
            byte[] name = new byte[nameLength];
            MemorySegment.copy(names, ValueLayout.JAVA_BYTE, nameOffset, name, 0, nameLength);
            String text = new String(name, StandardCharsets.UTF_8);
            if (!text.equals(".") && !text.equals("..")) {
                op.resultNames.put(text, ino);
            }
            return true;
        });
        client.releaseDirectory(directory);
    }
}
