package org.octofs.tests.linearizability;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.octofs.tests.model.Op;
import org.octofs.tests.model.OpKind;

/**
 * A call with its times, and how it goes from one process to another.
 *
 * @param beginNanos before the call began
 * @param endNanos after it had ended
 */
record TimedOp(Op op, long beginNanos, long endNanos) {
    void write(DataOutputStream out) throws IOException {
        out.writeLong(beginNanos);
        out.writeLong(endNanos);
        out.writeInt(op.id);
        out.writeInt(op.client);
        out.writeUTF(op.kind.name());
        out.writeLong(op.ino);
        out.writeUTF(op.name);
        out.writeLong(op.newParent);
        out.writeUTF(op.newName);
        out.writeInt(op.flags);
        out.writeInt(op.mode);
        out.writeLong(op.offset);
        out.writeInt(op.length);
        writeBytes(out, op.data);
        out.writeInt(op.errno);
        out.writeLong(op.resultIno);
        out.writeInt(op.resultMode);
        out.writeInt(op.resultLinks);
        out.writeLong(op.resultSize);
        out.writeInt(op.resultCount);
        out.writeLong(op.resultEntries);
        writeBytes(out, op.resultBytes);
        out.writeInt(op.resultNames.size());
        for (var entry : op.resultNames.entrySet()) {
            out.writeUTF(entry.getKey());
            out.writeLong(entry.getValue());
        }
    }

    static TimedOp read(DataInputStream in) throws IOException {
        long begin = in.readLong();
        long end = in.readLong();
        Op op = new Op(in.readInt(), in.readInt(), OpKind.valueOf(in.readUTF()));
        op.ino = in.readLong();
        op.name = in.readUTF();
        op.newParent = in.readLong();
        op.newName = in.readUTF();
        op.flags = in.readInt();
        op.mode = in.readInt();
        op.offset = in.readLong();
        op.length = in.readInt();
        op.data = readBytes(in);
        op.errno = in.readInt();
        op.resultIno = in.readLong();
        op.resultMode = in.readInt();
        op.resultLinks = in.readInt();
        op.resultSize = in.readLong();
        op.resultCount = in.readInt();
        op.resultEntries = in.readLong();
        op.resultBytes = readBytes(in);
        for (int left = in.readInt(); left > 0; left--) {
            op.resultNames.put(in.readUTF(), in.readLong());
        }
        return new TimedOp(op, begin, end);
    }

    private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] readBytes(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }
}
