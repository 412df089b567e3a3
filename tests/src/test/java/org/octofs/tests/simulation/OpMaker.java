package org.octofs.tests.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.tests.model.Op;
import org.octofs.tests.model.OpKind;

/** Invents the next call: few names in few directories, so that calls meet. */
final class OpMaker {
    private static final String[] NAMES = {"a", "b", "c", "d", "e", "n".repeat(120), "m".repeat(255)};
    private static final String[] XATTRS = {"user.one", "user.two"};
    private static final OpKind[] WITHOUT_HANDLE = {
        OpKind.LOOKUP,
        OpKind.LOOKUP,
        OpKind.GETATTR,
        OpKind.GETATTR,
        OpKind.CREATE,
        OpKind.CREATE,
        OpKind.CREATE,
        OpKind.MKDIR,
        OpKind.MKDIR,
        OpKind.SYMLINK,
        OpKind.MKNOD,
        OpKind.TMPFILE,
        OpKind.LINK,
        OpKind.LINK,
        OpKind.UNLINK,
        OpKind.UNLINK,
        OpKind.RMDIR,
        OpKind.RENAME,
        OpKind.RENAME,
        OpKind.RENAME,
        OpKind.READDIR,
        OpKind.READLINK,
        OpKind.SETMODE,
        OpKind.SETOWNER,
        OpKind.SETTIMES,
        OpKind.SETXATTR,
        OpKind.GETXATTR,
        OpKind.LISTXATTR,
        OpKind.REMOVEXATTR,
        OpKind.OPEN,
        OpKind.OPEN,
        OpKind.OPEN,
        OpKind.STATFS
    };
    private static final OpKind[] WITH_HANDLE = {
        OpKind.WRITE, OpKind.WRITE, OpKind.WRITE, OpKind.READ, OpKind.READ, OpKind.READ, OpKind.APPEND,
        OpKind.TRUNCATE, OpKind.COPY, OpKind.SEEK, OpKind.PUNCH, OpKind.ZERO, OpKind.ALLOCATE, OpKind.FSYNC,
        OpKind.FLUSH, OpKind.SYNC, OpKind.SETTIMES, OpKind.LINK, OpKind.LOCK, OpKind.UNLOCK, OpKind.RANGE_LOCK,
        OpKind.RANGE_UNLOCK
    };

    /** What meets what others do most often; half of the runs have only these, so that they do meet. */
    private static final Set<OpKind> CONTENDED = EnumSet.of(
            OpKind.LOOKUP,
            OpKind.GETATTR,
            OpKind.CREATE,
            OpKind.MKDIR,
            OpKind.SYMLINK,
            OpKind.LINK,
            OpKind.UNLINK,
            OpKind.RMDIR,
            OpKind.RENAME,
            OpKind.READDIR,
            OpKind.READLINK,
            OpKind.SETMODE,
            OpKind.SETXATTR,
            OpKind.GETXATTR,
            OpKind.REMOVEXATTR,
            OpKind.OPEN,
            OpKind.WRITE,
            OpKind.READ,
            OpKind.APPEND,
            OpKind.TRUNCATE,
            OpKind.PUNCH,
            OpKind.ALLOCATE,
            OpKind.FSYNC,
            OpKind.LOCK,
            OpKind.UNLOCK);

    private final RandomGenerator random;
    private final boolean exclusiveOnly;
    private final boolean fillsPools;
    private final OpKind[] withoutHandle;
    private final OpKind[] withHandle;
    private int nextId = 1;

    /** Inodes that exist, or have existed, as far as is known. */
    final List<Long> directories = new ArrayList<>();

    final List<Long> others = new ArrayList<>();
    final List<Long> files = new ArrayList<>();

    OpMaker(RandomGenerator random, boolean exclusiveOnly, boolean fillsPools) {
        this.fillsPools = fillsPools;
        this.random = random;
        this.exclusiveOnly = exclusiveOnly;
        boolean all = random.nextBoolean();
        this.withoutHandle = all ? WITHOUT_HANDLE : contended(WITHOUT_HANDLE);
        this.withHandle = all ? WITH_HANDLE : contended(WITH_HANDLE);
    }

    private static OpKind[] contended(OpKind[] kinds) {
        return Arrays.stream(kinds).filter(CONTENDED::contains).toArray(OpKind[]::new);
    }

    Op op(int client, OpKind kind, long ino) {
        Op op = new Op(nextId++, client, kind);
        op.ino = ino;
        return op;
    }

    boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private String name() {
        return NAMES[random.nextInt(NAMES.length)];
    }

    private long anyIno() {
        return others.isEmpty() || oneIn(3) ? pick(directories) : pick(others);
    }

    private long directory() {
        return !others.isEmpty() && oneIn(60) ? pick(others) : pick(directories);
    }

    /** One file is liked best, so that several clients are at it at a time. */
    private long pickFile() {
        return oneIn(2) ? files.getFirst() : pick(files);
    }

    /** A call that needs no open file. */
    Op withoutHandle(int client) {
        OpKind kind = withoutHandle[random.nextInt(withoutHandle.length)];
        Op op = op(client, kind, 0);
        switch (kind) {
            case LOOKUP, UNLINK, RMDIR, CREATE, MKDIR, SYMLINK, MKNOD, RENAME -> {
                op.ino = directory();
                op.name = name();
            }
            case READDIR, TMPFILE -> op.ino = directory();
            case OPEN -> op.ino = files.isEmpty() || oneIn(20) ? anyIno() : pickFile();
            case STATFS -> {}
            default -> op.ino = anyIno();
        }
        switch (kind) {
            case CREATE -> {
                op.flags = exclusiveOnly || random.nextBoolean() ? 1 : 0;
                op.mode = 0600 | random.nextInt(0200);
            }
            case MKDIR -> op.mode = 0700 | random.nextInt(0100);
            case MKNOD -> op.mode = (random.nextBoolean() ? FileMode.FIFO : FileMode.SOCKET) | random.nextInt(01000);
            case TMPFILE -> {
                op.mode = 0600 | random.nextInt(0200);
                op.flags = oneIn(4) ? 1 : 0;
            }
            case OPEN, READDIR -> op.flags = oneIn(3) ? 1 : 0;
            case SYMLINK -> op.newName = "t".repeat(1 + random.nextInt(oneIn(3) ? 3000 : 90));
            case LINK, RENAME -> {
                newPlace(op, kind == OpKind.RENAME && oneIn(3) ? op.ino : directory());
                op.flags = kind == OpKind.LINK || random.nextBoolean() ? 0 : random.nextInt(3);
            }
            case SETMODE -> op.mode = random.nextInt(01000);
            case SETOWNER -> {
                op.flags = random.nextInt(3);
                op.mode = random.nextInt(3);
            }
            case SETTIMES -> op.time = time();
            case SETXATTR, GETXATTR, REMOVEXATTR -> {
                op.flags = kind == OpKind.SETXATTR ? random.nextInt(3) : 0;
                op.name = XATTRS[random.nextInt(XATTRS.length)];
                op.data = "x"
                        .repeat(1 + random.nextInt(oneIn(4) ? 5000 : 60))
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8);
            }
            default -> {}
        }
        return op;
    }

    private void newPlace(Op op, long parent) {
        op.newParent = parent;
        op.newName = name();
    }

    /** Before 1970 and after 2038, too. */
    private long time() {
        return random.nextLong(-2_000_000_000_000_000_000L, 6_000_000_000_000_000_000L);
    }

    /** Makes it a copy from an open file; within one, from a range before or behind. */
    void copyFrom(Op op, long source) {
        op.source = source;
        op.sourceOffset = op.offset < op.length || oneIn(2) ? op.offset + op.length : op.offset - op.length;
    }

    /** A call on an open file. */
    Op withHandle(int client, Handle handle) {
        OpKind kind = withHandle[random.nextInt(withHandle.length)];
        Op op = op(client, kind, handle.ino());
        op.owner = handle.lockOwner;
        op.onOpenFile = true;
        // Mostly near the beginning, where the others are: within the same block, at the end of a short file.
        int blocks = oneIn(40) ? 400 : oneIn(6) ? 20 : oneIn(2) ? 6 : 2;
        op.offset = 4096L * random.nextInt(blocks);
        op.length = 4096 * (1 + random.nextInt(4));
        if (oneIn(2)) {
            op.offset += random.nextInt(4096);
            op.length -= random.nextInt(4096);
        }
        if (kind == OpKind.TRUNCATE && oneIn(2)) {
            op.offset = random.nextInt(3 * 4096);
        }
        if (kind == OpKind.READ && oneIn(3)) {
            op.offset = 0;
            op.length = 6 * 4096;
        }
        switch (kind) {
            case WRITE, APPEND -> {
                op.data = new byte[op.length];
                random.nextBytes(op.data);
            }
            case ALLOCATE -> {
                op.flags = random.nextInt(2);
                if (fillsPools && oneIn(2)) {
                    op.length = 4096 * (64 + random.nextInt(400));
                }
            }
            case LOCK, SEEK -> op.flags = random.nextInt(2);
            case SETTIMES -> op.time = time();
            case LINK -> newPlace(op, directory());
            case RANGE_LOCK, RANGE_UNLOCK -> {
                op.flags = kind == OpKind.RANGE_LOCK ? random.nextInt(2) : 0;
                op.offset = random.nextInt(OpCaller.PIECES);
                op.length = 1 + random.nextInt(OpCaller.PIECES - (int) op.offset);
            }
            default -> {}
        }
        return op;
    }
}
