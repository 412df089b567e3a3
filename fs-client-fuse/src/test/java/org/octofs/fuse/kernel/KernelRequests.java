package org.octofs.fuse.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The requests that a kernel would send for some calls, for tests that need no more of one.
 *
 * <p>Threading: one thread.
 */
@SuppressWarnings("ByteBufferBackingArray") // all of them are made here
public final class KernelRequests {
    private final ServedRequests served;
    private long unique = 2;

    public KernelRequests(ServedRequests served) {
        this.served = served;
    }

    /** Inode number of a name. */
    public long lookup(long parent, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return answer(request(KernelOpcode.LOOKUP, parent, bytes.length + 1)
                        .put(bytes)
                        .put((byte) 0))
                .getLong(KernelLayouts.EntryOut.NODE_OFFSET);
    }

    /** Handle of a file that is opened for reading. */
    public long open(long inode) {
        return answer(request(KernelOpcode.OPEN, inode, KernelLayouts.OpenIn.SIZE_BYTES))
                .getLong(KernelLayouts.OpenOut.FH_OFFSET);
    }

    public void release(long inode, long handle) {
        answer(request(KernelOpcode.RELEASE, inode, KernelLayouts.ReleaseIn.SIZE_BYTES)
                .putLong(handle));
    }

    public void forget(long inode, long lookups) {
        unanswered(request(KernelOpcode.FORGET, inode, Long.BYTES).putLong(lookups));
    }

    /** One look-up of each, by one request. */
    public void forget(List<Long> inodes) {
        ByteBuffer request = request(KernelOpcode.BATCH_FORGET, 0, Long.BYTES + inodes.size() * 2 * Long.BYTES);
        request.putInt(inodes.size()).putInt(0);
        for (long inode : inodes) {
            request.putLong(inode).putLong(1);
        }
        unanswered(request);
    }

    private ByteBuffer request(int opcode, long node, int bodyBytes) {
        int length = KernelLayouts.InHeader.SIZE_BYTES + bodyBytes;
        ByteBuffer request = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
        unique += 2;
        request.putInt(length).putInt(opcode).putLong(unique).putLong(node);
        return request.position(KernelLayouts.InHeader.SIZE_BYTES);
    }

    /** The answer's body. */
    private ByteBuffer answer(ByteBuffer request) {
        List<byte[]> answers = served.serve(request.array());
        if (answers.size() != 1) {
            throw new AssertionError(answers.size() + " answers");
        }
        ByteBuffer answer = ByteBuffer.wrap(answers.getFirst()).order(ByteOrder.nativeOrder());
        int error = answer.getInt(KernelLayouts.OutHeader.ERROR_OFFSET);
        if (error != 0) {
            throw new AssertionError("answered " + error);
        }
        return answer.position(KernelLayouts.OutHeader.SIZE_BYTES).slice().order(ByteOrder.nativeOrder());
    }

    private void unanswered(ByteBuffer request) {
        if (!served.serve(request.array()).isEmpty()) {
            throw new AssertionError("a forget was answered");
        }
    }
}
