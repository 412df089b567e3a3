package org.octofs.client.nio;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.concurrent.locks.ReentrantLock;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;

/**
 * An open file. Direct buffers are used as they are; heap buffers go through a piece of native memory. Closing commits.
 *
 * <p>Threading: thread-safe; one lock guards the position, so reads and writes of one channel take turns.
 */
final class OctoChannel implements SeekableByteChannel {
    private static final int BOUNCE_BYTES = 1 << 20;

    private final FsClient client;
    private final OpenFile file;
    private final OctoPath path;
    private final boolean deleteOnClose;
    private final ReentrantLock lock = new ReentrantLock();
    private MemorySegment bounce;
    private long position;
    private boolean open = true;

    OctoChannel(FsClient client, OpenFile file, OctoPath path, boolean deleteOnClose) {
        this.client = client;
        this.file = file;
        this.path = path;
        this.deleteOnClose = deleteOnClose;
    }

    /** Work on the open file under the lock. */
    @FunctionalInterface
    private interface Work {
        long run() throws IOException;
    }

    private long locked(Work work) throws IOException {
        lock.lock();
        try {
            if (!open) {
                throw new ClosedChannelException();
            }
            return work.run();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (!OpenFlags.reads(file.flags())) {
            throw new NonReadableChannelException();
        }
        return (int) locked(() -> {
            int wanted = target.remaining();
            if (wanted == 0) {
                return 0;
            }
            int n;
            if (target.isDirect()) {
                n = client.read(file, position, MemorySegment.ofBuffer(target), 0, wanted);
            } else {
                n = client.read(file, position, bounce(), 0, Math.min(wanted, BOUNCE_BYTES));
                MemorySegment.copy(bounce, 0, MemorySegment.ofBuffer(target), 0, n);
            }
            target.position(target.position() + n);
            position += n;
            return n == 0 ? -1 : n;
        });
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        if (!OpenFlags.writes(file.flags())) {
            throw new NonWritableChannelException();
        }
        return (int) locked(() -> {
            int total = 0;
            while (source.hasRemaining()) {
                int n = writeSome(source);
                source.position(source.position() + n);
                total += n;
                position = file.isAppend() ? file.lastAppendEnd() : position + n;
            }
            return total;
        });
    }

    private int writeSome(ByteBuffer source) throws IOException {
        int length = source.remaining();
        MemorySegment from = MemorySegment.ofBuffer(source);
        if (!source.isDirect()) {
            length = Math.min(length, BOUNCE_BYTES);
            MemorySegment.copy(from, 0, bounce(), 0, length);
            from = bounce;
        }
        return client.write(file, position, from, 0, length);
    }

    private MemorySegment bounce() {
        if (bounce == null) {
            bounce = Arena.ofAuto().allocate(BOUNCE_BYTES, 4096);
        }
        return bounce;
    }

    @Override
    public long position() throws IOException {
        return locked(() -> position);
    }

    @Override
    public OctoChannel position(long newPosition) throws IOException {
        if (newPosition < 0) {
            throw new IllegalArgumentException("negative position " + newPosition);
        }
        locked(() -> position = newPosition);
        return this;
    }

    @Override
    public long size() throws IOException {
        return locked(() -> {
            Attributes attributes = new Attributes();
            client.getAttributes(file.ino(), attributes);
            return attributes.sizeBytes();
        });
    }

    @Override
    public OctoChannel truncate(long size) throws IOException {
        if (!OpenFlags.writes(file.flags())) {
            throw new NonWritableChannelException();
        }
        if (size < 0) {
            throw new IllegalArgumentException("negative size " + size);
        }
        locked(() -> {
            Attributes attributes = new Attributes();
            client.getAttributes(file.ino(), attributes);
            if (size < attributes.sizeBytes()) {
                client.setAttributes(file.ino(), new AttributeChange().sizeBytes(size), attributes);
            }
            position = Math.min(position, size);
            return 0;
        });
        return this;
    }

    @Override
    public boolean isOpen() {
        lock.lock();
        try {
            return open;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            if (!open) {
                return;
            }
            open = false;
            try {
                client.flush(file, 0);
            } finally {
                client.release(file);
                if (deleteOnClose) {
                    path.getFileSystem().provider().deleteIfExists(path);
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
