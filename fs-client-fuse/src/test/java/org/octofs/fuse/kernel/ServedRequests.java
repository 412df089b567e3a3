package org.octofs.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.MountParameters;

/**
 * A mount's thread with the test in the kernel's place: takes the bytes of a request, gives the bytes of the answers. No kernel is
 * needed, and what no kernel would send can be sent.
 *
 * <p>Threading: one thread sends; answers may come by others.
 */
public final class ServedRequests implements AutoCloseable {
    private static final long PATIENCE_MILLIS = 30_000;
    private static final long LOOK_MILLIS = 10;
    private static final long ALL_FLAGS = -1;

    private final Device device = new Device();
    private final AtomicInteger threads = new AtomicInteger();
    private final LoopPool pool;
    private final Thread server;
    private final KernelSession session;

    /** With a kernel that offers everything. */
    public ServedRequests(FuseOperations operations) throws IOException {
        this(operations, negotiated(KernelSession.MINOR, ALL_FLAGS, MountParameters.DEFAULT_TRANSFER_BYTES));
    }

    ServedRequests(FuseOperations operations, KernelSession session) {
        this.session = session;
        pool = new LoopPool(device, operations, this::newThread, 1, session);
        server = Thread.ofPlatform().daemon().start(() -> {
            try {
                pool.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                device.died(null);
            }
        });
    }

    private Thread newThread(Runnable work) {
        threads.incrementAndGet();
        return Thread.ofPlatform()
                .daemon()
                .uncaughtExceptionHandler((_, e) -> device.died(e))
                .unstarted(work);
    }

    /** Threads that were ever made for this mount. */
    int threadsMade() {
        return threads.get();
    }

    /** What comes of a FUSE_INIT. */
    static KernelSession negotiated(int minor, long flags, int transferBytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocate(64);
            Native.putInt(in, KernelLayouts.InitIn.MAJOR_OFFSET, KernelSession.MAJOR);
            Native.putInt(in, KernelLayouts.InitIn.MINOR_OFFSET, minor);
            Native.putInt(in, KernelLayouts.InitIn.FLAGS_OFFSET, (int) flags);
            Native.putInt(in, KernelLayouts.InitIn.FLAGS2_OFFSET, (int) (flags >>> 32));
            MountParameters usual = MountParameters.of(Path.of("/"), "test");
            MountParameters want = new MountParameters(
                    usual.directory(), "test", false, false, usual.flags(), transferBytes, transferBytes, 1, false);
            return KernelSession.negotiate(in, 0, arena.allocate(KernelLayouts.InitOut.SIZE_BYTES), 0, want, true);
        }
    }

    KernelSession session() {
        return session;
    }

    /**
     * Has a request served; answers what was sent back until the thread came for the next one, or by other threads since the last
     * call.
     *
     * @throws IllegalStateException if the thread has ended, or does not come back
     */
    public List<byte[]> serve(byte[] request) {
        return device.exchange(request);
    }

    /** Sends a request without waiting for anything. */
    void post(byte[] request) {
        device.post(request);
    }

    /** Waits for an answer that comes by another thread; answers nothing if none comes in time. */
    List<byte[]> later(long millis) {
        return device.await(millis);
    }

    /** What was thrown and answered EIO. */
    public long faultCount() {
        return pool.faultCount();
    }

    /** Locks that wait. */
    int waits() {
        return pool.waits();
    }

    @Override
    public void close() {
        device.end();
        try {
            if (!server.join(Duration.ofMillis(PATIENCE_MILLIS))) {
                throw new IllegalStateException("the mount's threads do not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The kernel's end. Guarded by itself. */
    private static final class Device extends FuseDevice {
        private final ArrayDeque<byte[]> requests = new ArrayDeque<>();
        private List<byte[]> answers = new ArrayList<>();
        /** Those that work on a request. While one takes long, the mount adds another. */
        private final Set<Thread> busy = new HashSet<>();

        private boolean ending;
        private boolean ended;
        private Throwable death;

        Device() {
            super(-1);
        }

        @Override
        synchronized long read(LinuxCalls.CallState state, MemorySegment buffer) {
            busy.remove(Thread.currentThread());
            notifyAll();
            try {
                while (requests.isEmpty() && !ending) {
                    wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return -LinuxCalls.ENODEV;
            }
            if (requests.isEmpty()) {
                return -LinuxCalls.ENODEV;
            }
            byte[] request = requests.remove();
            busy.add(Thread.currentThread());
            // As the kernel does: a request that does not fit is failed by it, and not seen here.
            int length = (int) Math.min(request.length, buffer.byteSize());
            MemorySegment.copy(request, 0, buffer, ValueLayout.JAVA_BYTE, 0, length);
            return length;
        }

        @Override
        synchronized long write(LinuxCalls.CallState state, MemorySegment message, long lengthBytes) {
            byte[] answer = message.asSlice(0, lengthBytes).toArray(ValueLayout.JAVA_BYTE);
            ByteBuffer header = ByteBuffer.wrap(answer).order(ByteOrder.nativeOrder());
            if (header.getInt(KernelLayouts.OutHeader.LENGTH_OFFSET) != lengthBytes) {
                throw new IllegalStateException("the header says another length than was written: " + lengthBytes);
            }
            answers.add(answer);
            notifyAll();
            return lengthBytes;
        }

        @Override
        void close(LinuxCalls.CallState state) {}

        synchronized void post(byte[] request) {
            requests.add(request);
            notifyAll();
        }

        synchronized List<byte[]> exchange(byte[] request) {
            requests.add(request);
            notifyAll();
            long deadline = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
            while (!requests.isEmpty() || !busy.isEmpty()) {
                if (ended || death != null) {
                    throw new IllegalStateException("a thread of the mount has ended", death);
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException("a request is not done");
                }
                waitFor(LOOK_MILLIS);
                // One that is no longer needed ends by itself.
                busy.removeIf(thread -> !thread.isAlive());
            }
            return take();
        }

        synchronized List<byte[]> await(long millis) {
            long deadline = System.nanoTime() + millis * 1_000_000;
            while (answers.isEmpty() && System.nanoTime() - deadline < 0) {
                waitFor(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
            }
            return take();
        }

        private List<byte[]> take() {
            List<byte[]> taken = answers;
            answers = new ArrayList<>();
            return taken;
        }

        private void waitFor(long millis) {
            try {
                TimeUnit.MILLISECONDS.timedWait(this, millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        synchronized void end() {
            ending = true;
            notifyAll();
        }

        /** Because of an exception, or null: all have, in order. */
        synchronized void died(Throwable cause) {
            ended |= cause == null;
            death = cause;
            notifyAll();
        }
    }
}
