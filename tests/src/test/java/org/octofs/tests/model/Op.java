package org.octofs.tests.model;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * One call of a history, and what it answered. The caller fills in what its kind needs; see {@link FsModel} for what is looked at.
 */
public final class Op {
    /** No answer has come, and none will: the call may take effect at any later time, or never. */
    public static final int UNKNOWN = -1;

    public final int id;
    public final int client;
    public final OpKind kind;
    public long ino;
    public String name = "";
    public long newParent;
    public String newName = "";

    /**
     * CREATE: 1 exclusive. OPEN: 1 truncates. TMPFILE: 1 may get no name. READDIR: 1 with attributes. SEEK: 0 for data, 1 for a hole. LOCK, RANGE_LOCK: 1
     * exclusive. SETOWNER: the owner, and {@link #mode} the group. Else as of the call that it stands for.
     */
    public int flags;

    public int mode;
    public long offset;
    public int length;
    public byte[] data = {};
    public long owner;

    /** SETTIMES: nanoseconds. */
    public long time;

    /** COPY: inode and offset that it reads; {@link #ino} and {@link #offset} are where it writes. */
    public long source;

    public long sourceOffset;

    /** Made on a file that the caller has open, so that it is there even if it has no name any more. */
    public boolean onOpenFile;

    /** A lock may have been refused although it is free, because those who may hold it have not told a new server yet. */
    public boolean mayBeRefused;

    /** 0, an errno, or {@link #UNKNOWN}. */
    public int errno = UNKNOWN;

    public long resultIno;
    public int resultMode;
    public int resultLinks;
    public int resultOwner;
    public int resultGroup;
    public long resultModified;
    /** Size of a GETATTR; bytes that a WRITE has written; end of an APPEND; place that a SEEK has found. */
    public long resultSize;

    /** Bytes that an APPEND or a COPY has written. */
    public int resultCount;

    public long resultEntries;
    public byte[] resultBytes = {};
    public Map<String, Long> resultNames = new TreeMap<>();

    public Op(int id, int client, OpKind kind) {
        this.id = id;
        this.client = client;
        this.kind = kind;
    }

    public boolean isUnknown() {
        return errno == UNKNOWN;
    }

    /** Whether it has changed nothing, in whatever state it came: it looked, or was refused. */
    boolean isLook() {
        return switch (kind) {
            case LOOKUP, GETATTR, READDIR, READLINK, STATFS, SYNC, GETXATTR, LISTXATTR, READ, SEEK, FSYNC ->
                !isUnknown();
            case OPEN -> flags == 0 ? !isUnknown() : errno > 0;
            default -> errno > 0;
        };
    }

    /**
     * Whether two calls come to the same in either order, whatever the state: they look at and change inodes that are not the same, and no
     * names.
     */
    boolean commutesWith(Op other) {
        return isOnInodeAlone()
                && other.isOnInodeAlone()
                && ino != other.ino
                && (source == 0 || source != other.ino)
                && (other.source == 0 || other.source != ino);
    }

    private boolean isOnInodeAlone() {
        return switch (kind) {
            case GETATTR, READLINK, SETMODE, SETOWNER, SETTIMES, SETXATTR, GETXATTR, LISTXATTR, REMOVEXATTR -> true;
            case LOCK, UNLOCK, RANGE_LOCK, RANGE_UNLOCK, OPEN -> true;
            default -> isOnData();
        };
    }

    /** Whether it is about the content of a file. */
    public boolean isOnData() {
        return switch (kind) {
            case READ, SEEK, FSYNC, FLUSH -> true;
            default -> changesData();
        };
    }

    /** Whether it may change the content of a file. */
    public boolean changesData() {
        return switch (kind) {
            case WRITE, APPEND, COPY, TRUNCATE, PUNCH, ZERO, ALLOCATE -> true;
            case OPEN -> flags != 0;
            default -> false;
        };
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder()
                .append('#')
                .append(id)
                .append(" c")
                .append(client)
                .append(' ')
                .append(kind)
                .append(' ')
                .append(Long.toHexString(ino));
        if (!name.isEmpty()) {
            text.append("/").append(brief(name));
        }
        if (newParent != 0) {
            text.append(" to ").append(Long.toHexString(newParent)).append('/').append(brief(newName));
        }
        if (flags != 0) {
            text.append(" flags ").append(flags);
        }
        switch (kind) {
            case WRITE, READ, SEEK, APPEND, PUNCH, ZERO, ALLOCATE, TRUNCATE ->
                text.append(" at ").append(offset).append('+').append(length);
            case COPY ->
                text.append(" at ")
                        .append(offset)
                        .append('+')
                        .append(length)
                        .append(" from ")
                        .append(Long.toHexString(source))
                        .append(" at ")
                        .append(sourceOffset);
            case RANGE_LOCK, RANGE_UNLOCK ->
                text.append(" pieces ")
                        .append(offset)
                        .append('+')
                        .append(length)
                        .append(" owner ")
                        .append(owner);
            case LOCK, UNLOCK -> text.append(" owner ").append(owner);
            case SETMODE -> text.append(' ').append(Integer.toOctalString(mode));
            case SETTIMES -> text.append(' ').append(time);
            default -> {}
        }
        return text.append(" = ").append(outcome()).toString();
    }

    private static String brief(String name) {
        return name.length() > 20 ? name.substring(0, 8) + ".." + name.length() : name;
    }

    private String outcome() {
        if (errno != 0) {
            return isUnknown() ? "?" : "E" + errno;
        }
        return switch (kind) {
            case LOOKUP, CREATE, MKDIR, SYMLINK, MKNOD, TMPFILE, LINK -> "ino " + Long.toHexString(resultIno);
            case GETATTR ->
                Integer.toOctalString(resultMode) + " of " + resultOwner + ":" + resultGroup + " at " + resultModified
                        + " links " + resultLinks + " size " + resultSize + " entries " + resultEntries;
            case READDIR -> {
                StringBuilder names = new StringBuilder();
                resultNames.forEach((entry, child) -> names.append(brief(entry))
                        .append('=')
                        .append(Long.toHexString(child))
                        .append(' '));
                yield names.toString();
            }
            case READ -> resultBytes.length + " bytes " + Integer.toHexString(Arrays.hashCode(resultBytes));
            case APPEND -> "end " + resultSize;
            case WRITE -> resultSize + " bytes";
            case SEEK -> "at " + resultSize;
            case COPY -> resultCount + " bytes";
            default -> "ok";
        };
    }
}
