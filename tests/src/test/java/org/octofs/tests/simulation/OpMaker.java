package org.octofs.tests.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.octofs.tests.model.Op;
import org.octofs.tests.model.OpKind;

/** Invents the next call: few names in few directories, so that calls meet. */
final class OpMaker {
    private static final String[] NAMES = {"a", "b", "c", "d", "e", "n".repeat(120), "m".repeat(255)};
    private static final String[] XATTRS = {"user.one", "user.two"};
    private static final OpKind[] WITHOUT_HANDLE = {
        OpKind.LOOKUP, OpKind.LOOKUP, OpKind.GETATTR, OpKind.GETATTR, OpKind.CREATE, OpKind.CREATE, OpKind.CREATE,
        OpKind.MKDIR, OpKind.MKDIR, OpKind.SYMLINK, OpKind.LINK, OpKind.LINK, OpKind.UNLINK, OpKind.UNLINK,
        OpKind.RMDIR, OpKind.RENAME, OpKind.RENAME, OpKind.RENAME, OpKind.READDIR, OpKind.READLINK, OpKind.SETMODE,
        OpKind.SETXATTR, OpKind.GETXATTR, OpKind.REMOVEXATTR, OpKind.OPEN, OpKind.OPEN
    };
    private static final OpKind[] WITH_HANDLE = {
        OpKind.WRITE,
        OpKind.WRITE,
        OpKind.WRITE,
        OpKind.READ,
        OpKind.READ,
        OpKind.READ,
        OpKind.APPEND,
        OpKind.TRUNCATE,
        OpKind.PUNCH,
        OpKind.ALLOCATE,
        OpKind.FSYNC,
        OpKind.LOCK,
        OpKind.UNLOCK
    };

    private final RandomGenerator random;
    private final boolean exclusiveOnly;
    private final boolean fillsPools;
    private int nextId = 1;

    /** Inodes that exist, or have existed, as far as is known. */
    final List<Long> directories = new ArrayList<>();

    final List<Long> others = new ArrayList<>();
    final List<Long> files = new ArrayList<>();

    OpMaker(RandomGenerator random, boolean exclusiveOnly, boolean fillsPools) {
        this.fillsPools = fillsPools;
        this.random = random;
        this.exclusiveOnly = exclusiveOnly;
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
        OpKind kind = WITHOUT_HANDLE[random.nextInt(WITHOUT_HANDLE.length)];
        Op op = op(client, kind, 0);
        switch (kind) {
            case LOOKUP, UNLINK, RMDIR, CREATE, MKDIR, SYMLINK, RENAME -> {
                op.ino = directory();
                op.name = name();
            }
            case READDIR -> op.ino = directory();
            case OPEN -> op.ino = files.isEmpty() || oneIn(20) ? pick(directories) : pickFile();
            default -> op.ino = anyIno();
        }
        switch (kind) {
            case CREATE -> {
                op.flags = exclusiveOnly || random.nextBoolean() ? 1 : 0;
                op.mode = 0600 | random.nextInt(0200);
            }
            case MKDIR -> op.mode = 0700 | random.nextInt(0100);
            case SYMLINK -> op.newName = "t".repeat(1 + random.nextInt(oneIn(3) ? 3000 : 90));
            case LINK, RENAME -> {
                op.newParent = kind == OpKind.RENAME && oneIn(3) ? op.ino : directory();
                op.newName = name();
                op.flags = kind == OpKind.LINK || random.nextBoolean() ? 0 : random.nextInt(3);
            }
            case SETMODE -> op.mode = random.nextInt(01000);
            case SETXATTR, GETXATTR, REMOVEXATTR -> {
                op.name = XATTRS[random.nextInt(XATTRS.length)];
                op.data = "x"
                        .repeat(1 + random.nextInt(oneIn(4) ? 5000 : 60))
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8);
            }
            default -> {}
        }
        return op;
    }

    /** A call on an open file. */
    Op withHandle(int client, Handle handle) {
        OpKind kind = WITH_HANDLE[random.nextInt(WITH_HANDLE.length)];
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
            case LOCK -> op.flags = random.nextInt(2);
            default -> {}
        }
        return op;
    }
}
