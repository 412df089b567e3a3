package org.octofs.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A descriptor of /dev/fuse that belongs to a mount. A clone has a queue of its own for answers, so that threads do not
 * meet on one lock; an answer must go out by the descriptor that its request came in by.
 *
 * <p>Threading: any thread may read and write; each passes its own call state. Open for tests, which put requests of their own
 * in the kernel's place.
 */
class FuseDevice {
    /** _IOR(229, 0, uint32_t). */
    private static final long FUSE_DEV_IOC_CLONE = 0x8004_E500L;

    private static final String PATH = "/dev/fuse";

    private final int descriptor;

    FuseDevice(int descriptor) {
        this.descriptor = descriptor;
    }

    /** A descriptor that no mount has yet. */
    static FuseDevice open(LinuxCalls.CallState state) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            int opened = LinuxCalls.open(state, arena.allocateFrom(PATH), LinuxCalls.O_RDWR | LinuxCalls.O_CLOEXEC);
            if (opened == -LinuxCalls.ENOENT || opened == -LinuxCalls.ENODEV) {
                throw new IOException("there is no " + PATH + "; load the kernel's module with 'modprobe fuse'");
            }
            if (opened < 0) {
                throw LinuxCalls.failure("cannot open " + PATH, -opened);
            }
            return new FuseDevice(opened);
        }
    }

    /** One more descriptor of this device's mount. */
    FuseDevice copy(LinuxCalls.CallState state) throws IOException {
        FuseDevice copy = open(state);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocateFrom(ValueLayout.JAVA_INT, descriptor);
            int answer = LinuxCalls.ioctl(state, copy.descriptor, FUSE_DEV_IOC_CLONE, source);
            if (answer < 0) {
                copy.close(state);
                throw LinuxCalls.failure("cannot clone " + PATH, -answer);
            }
        }
        return copy;
    }

    int descriptor() {
        return descriptor;
    }

    /** Waits for a request; answers its bytes or a negative errno: ENODEV once the mount is gone. */
    long read(LinuxCalls.CallState state, MemorySegment buffer) {
        return LinuxCalls.read(state, descriptor, buffer, buffer.byteSize());
    }

    /** Sends an answer or notification whole. */
    long write(LinuxCalls.CallState state, MemorySegment message, long lengthBytes) {
        return LinuxCalls.write(state, descriptor, message, lengthBytes);
    }

    /** As {@link #write}, of two parts that lie at different places. */
    long write(LinuxCalls.CallState state, MemorySegment parts) {
        return LinuxCalls.writev(state, descriptor, parts, 2);
    }

    void close(LinuxCalls.CallState state) {
        LinuxCalls.close(state, descriptor);
    }
}
