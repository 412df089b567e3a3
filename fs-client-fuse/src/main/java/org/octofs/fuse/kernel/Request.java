package org.octofs.fuse.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;
import org.octofs.fuse.fuse.RequestContext;

/**
 * The request that a thread works on: its header's fields, and cursors over its body.
 *
 * <p>Threading: confined to its loop's thread, but for {@link #interrupt}, {@link #takeAnswer} and {@link #unique()},
 * and what is read after that until takeAnswer has succeeded.
 * Ownership: the body is the loop's buffer; names and values are copied out, data of a WRITE is not.
 */
final class Request extends RequestContext {
    /** Unique of a thread that is between two requests. */
    static final long NONE = 0;

    private final MemorySegment memory;
    private final AtomicLong answerDue = new AtomicLong(NONE);
    private volatile long unique = NONE;
    private volatile boolean interrupted;
    private int lengthBytes;
    private boolean whole;
    private int opcode;
    private long node;

    /** Over a buffer that holds one request at its start. */
    Request(MemorySegment memory) {
        this.memory = memory;
    }

    /** The kernel's message is not what the operation takes: the answer is EINVAL. */
    static final class MalformedException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        MalformedException(String message) {
            super(message);
        }
    }

    /**
     * Takes the header in.
     *
     * @return false if what was read is too short for one, so that nobody is there to be answered
     */
    boolean begin(long bytesRead) {
        if (bytesRead < KernelLayouts.InHeader.SIZE_BYTES) {
            return false;
        }
        lengthBytes = (int) bytesRead;
        whole = Native.getInt(memory, KernelLayouts.InHeader.LENGTH_OFFSET) == lengthBytes;
        opcode = Native.getInt(memory, KernelLayouts.InHeader.OPCODE_OFFSET);
        node = Native.getLong(memory, KernelLayouts.InHeader.NODE_OFFSET);
        uid = Native.getInt(memory, KernelLayouts.InHeader.UID_OFFSET);
        gid = Native.getInt(memory, KernelLayouts.InHeader.GID_OFFSET);
        pid = Native.getInt(memory, KernelLayouts.InHeader.PID_OFFSET);
        umask = 0;
        dropsPages = false;
        interrupted = false;
        long name = Native.getLong(memory, KernelLayouts.InHeader.UNIQUE_OFFSET);
        answerDue.set(name);
        unique = name;
        return true;
    }

    /** Answers true to the first who takes it upon himself to answer the request of that name, if that is the one here. */
    boolean takeAnswer(long name) {
        return answerDue.compareAndSet(name, NONE);
    }

    /** Fails if the header tells another length than was read. */
    void checkWhole() {
        if (!whole) {
            throw new MalformedException("operation " + opcode + " of " + lengthBytes + " bytes says that it has "
                    + Integer.toUnsignedString(Native.getInt(memory, KernelLayouts.InHeader.LENGTH_OFFSET)));
        }
    }

    void end() {
        unique = NONE;
    }

    int opcode() {
        return opcode;
    }

    long node() {
        return node;
    }

    long unique() {
        return unique;
    }

    MemorySegment memory() {
        return memory;
    }

    @Override
    public boolean interrupted() {
        return interrupted;
    }

    void interrupt() {
        interrupted = true;
    }

    /** A u32 of the body, {@code offset} bytes behind the header. */
    int int32(int offset) {
        return Native.getInt(memory, body(offset, Integer.BYTES));
    }

    /** A u32 of the body that tells how many bytes are wanted; no more than {@code most}. */
    int size(int offset, int most) {
        return (int) Math.min(Integer.toUnsignedLong(int32(offset)), most);
    }

    /** A u64 of the body, {@code offset} bytes behind the header. */
    long int64(int offset) {
        return Native.getLong(memory, body(offset, Long.BYTES));
    }

    /** A copy of {@code count} bytes of the body. */
    byte[] bytes(int offset, int count) {
        int at = body(offset, count);
        byte[] copy = new byte[count];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, copy, 0, count);
        return copy;
    }

    /** A copy of the string that ends with a NUL, without it. */
    byte[] string(int offset) {
        int at = offset;
        while (memory.get(ValueLayout.JAVA_BYTE, body(at, 1)) != 0) {
            at++;
        }
        return bytes(offset, at - offset);
    }

    /** Where {@code count} bytes of the body are in {@link #memory}; checked against the request's length. */
    int body(int offset, int count) {
        int at = KernelLayouts.InHeader.SIZE_BYTES + offset;
        if (offset < 0 || count < 0 || count > lengthBytes - at) {
            throw new MalformedException(
                    "operation " + opcode + " of " + lengthBytes + " bytes has no " + count + " bytes at " + at);
        }
        return at;
    }
}
