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
    public int flags;
    public int mode;
    public long offset;
    public int length;
    public byte[] data = {};
    public long owner;

    /** Made on a file that the caller has open, so that it is there even if it has no name any more. */
    public boolean onOpenFile;

    /** A lock may have been refused although it is free, because those who may hold it have not told a new server yet. */
    public boolean mayBeRefused;

    /** 0, an errno, or {@link #UNKNOWN}. */
    public int errno = UNKNOWN;

    public long resultIno;
    public int resultMode;
    public int resultLinks;
    /** Size of a GETATTR; bytes that a WRITE has written; end of an APPEND. */
    public long resultSize;

    /** Bytes that an APPEND has written. */
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
            case LOOKUP, GETATTR, READDIR, READLINK, GETXATTR, OPEN, READ, FSYNC -> !isUnknown();
            default -> errno > 0;
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
            case WRITE, READ, APPEND, PUNCH, ALLOCATE, TRUNCATE ->
                text.append(" at ").append(offset).append('+').append(length);
            case SETMODE -> text.append(' ').append(Integer.toOctalString(mode));
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
            case LOOKUP, CREATE, MKDIR, SYMLINK, LINK -> "ino " + Long.toHexString(resultIno);
            case GETATTR ->
                Integer.toOctalString(resultMode) + " links " + resultLinks + " size " + resultSize + " entries "
                        + resultEntries;
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
            default -> "ok";
        };
    }
}
