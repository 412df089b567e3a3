package org.octofs.client.client;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.octofs.client.data.FileData;
import org.octofs.rpc.protocol.Errno;

/** One copy_file_range(2): by the nodes where they can, through this client's memory else. Confined to its caller. */
final class FileCopy {
    private static final int BYTES_MAX = 16 << 20;
    private static final int PIECE_BYTES = 1 << 20;

    private final FsClient client;
    private final FileData data;
    private final OpenFile source;
    private final OpenFile target;
    private final boolean commit;
    private MemorySegment buffer;

    /** @param commit whether what is written to the target has to be committed at once */
    FileCopy(FsClient client, FileData data, OpenFile source, OpenFile target, boolean commit) {
        this.client = client;
        this.data = data;
        this.source = source;
        this.target = target;
        this.commit = commit;
    }

    /** See {@link FsClient#copy}. */
    int run(long offset, long targetOffset, long length) throws FsException {
        if (offset < 0 || targetOffset < 0 || length < 0) {
            throw new FsException(Errno.EINVAL);
        }
        int most = (int) Math.min(bounded(offset, length), BYTES_MAX);
        int done = 0;
        boolean atNodes = false;
        try (Arena arena = Arena.ofConfined()) {
            while (done < most) {
                int copied = atNodes(offset + done, targetOffset + done, most - done);
                if (copied > 0) {
                    atNodes = true;
                    done += copied;
                    continue;
                }
                if (buffer == null) {
                    buffer = arena.allocate(Math.min(most, PIECE_BYTES), Long.BYTES);
                }
                int piece = (int) Math.min(buffer.byteSize(), Math.min(-copied, most - done));
                copied = through(offset + done, targetOffset + done, piece);
                done += copied;
                if (copied < piece) {
                    break;
                }
            }
        } catch (FsException e) {
            if (done == 0) {
                throw e;
            }
        }
        if (atNodes) {
            client.accessed(source);
        }
        return done;
    }

    /** Within one file the copy may lengthen the source, which must not be copied on and on. */
    private long bounded(long offset, long length) throws FsException {
        if (source.ino() != target.ino()) {
            return length;
        }
        Attributes attributes = new Attributes();
        client.getAttributes(source.ino(), attributes);
        return Math.clamp(attributes.sizeBytes() - offset, 0, length);
    }

    private int atNodes(long offset, long targetOffset, int length) throws FsException {
        return target.isAppend()
                ? -length
                : data.copyAtNodes(source.state(), offset, target.state(), targetOffset, length, commit);
    }

    private int through(long offset, long targetOffset, int length) throws FsException {
        int count = client.read(source, offset, buffer, 0, length);
        return count == 0 ? 0 : client.write(target, targetOffset, buffer, 0, count);
    }
}
