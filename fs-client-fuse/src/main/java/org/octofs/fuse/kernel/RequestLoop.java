package org.octofs.fuse.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.octofs.fuse.fuse.FaultLog;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.LinuxErrno;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that reads requests, has them done and answers.
 *
 * <p>Threading: {@link #run} on a thread of its own. Ownership: owns its buffers; the device belongs to the binding.
 * Limits: one request at a time; nothing is allocated per request but names and values.
 */
final class RequestLoop implements Runnable {
    /** What a request may have besides data or a value: headers and names. */
    private static final int REQUEST_EXTRA_BYTES = 8192;

    private static final int PAGE_BYTES = 4096;

    /** Before the kernel is asked to send an interrupt again. */
    private static final long RETRY_NANOS = 50_000;

    /** No answer is sent. */
    private static final int SILENT = Integer.MIN_VALUE;

    private static final Logger LOG = LoggerFactory.getLogger(RequestLoop.class);

    private final LoopPool pool;
    private final FuseDevice device;
    private final FuseOperations operations;
    private final InFlight inFlight;
    private final KernelSession session;
    private final FaultLog faults;
    private boolean surplus;
    private Request request;
    private Answer answer;
    private NodeRequests nodes;
    private FileRequests files;

    RequestLoop(
            LoopPool pool,
            FuseDevice device,
            FuseOperations operations,
            InFlight inFlight,
            KernelSession session,
            FaultLog faults) {
        this.pool = pool;
        this.device = device;
        this.operations = operations;
        this.inFlight = inFlight;
        this.session = session;
        this.faults = faults;
    }

    @Override
    public void run() {
        try (Arena arena = Arena.ofConfined()) {
            LinuxCalls.CallState state = new LinuxCalls.CallState(arena);
            // Values of extended attributes keep their size where the mount's options make transfers small.
            int most = Math.max(session.transferBytes(), NodeRequests.XATTR_BYTES_MAX);
            MemorySegment in = arena.allocate(most + REQUEST_EXTRA_BYTES, PAGE_BYTES);
            request = new Request(in);
            answer = new Answer(arena.allocate((long) most + Answer.BODY + PAGE_BYTES, PAGE_BYTES));
            nodes = new NodeRequests(operations, request, answer, session.has(KernelSession.SETXATTR_EXT));
            files = new FileRequests(operations, nodes, request, answer);
            InFlight.Loop entry = new InFlight.Loop(request, device);
            inFlight.add(entry);
            try {
                serve(state, in);
            } finally {
                inFlight.remove(entry);
            }
        } finally {
            if (!surplus) {
                pool.ended();
            }
        }
    }

    private void serve(LinuxCalls.CallState state, MemorySegment in) {
        while (becomeIdle()) {
            long read = device.read(state, in);
            pool.becomeBusy();
            if (read == -LinuxCalls.ENODEV) {
                return;
            }
            // ENOENT: the request was interrupted before it was read. EINTR, EAGAIN: nothing was read.
            if (read == -LinuxCalls.ENOENT || read == -LinuxCalls.EINTR || read == -LinuxCalls.EAGAIN) {
                continue;
            }
            if (read < 0) {
                LOG.error("reading requests failed with errno {}; this thread ends", -read);
                return;
            }
            if (!request.begin(read)) {
                faults.refuse(read + " bytes are not one request; they are dropped");
                continue;
            }
            serveOne(state);
            request.end();
        }
    }

    private boolean becomeIdle() {
        surplus = !pool.becomeIdle();
        return !surplus;
    }

    private void serveOne(LinuxCalls.CallState state) {
        answer.clear();
        request.kept = false;
        int result;
        try {
            request.checkWhole();
            result = dispatch();
        } catch (Request.MalformedException e) {
            faults.refuse(e.getMessage());
            result = failure(-LinuxErrno.EINVAL);
        } catch (RuntimeException | Error e) {
            faults.record("operation " + request.opcode(), request.node(), e);
            result = failure(-LinuxErrno.EIO);
        }
        boolean ours = request.takeAnswer(request.unique());
        if (result == SILENT) {
            return;
        }
        if (!ours) {
            // The caller was killed and is gone.
            if (result == 0) {
                files.takeBack();
            }
            return;
        }
        long sent = answer.send(device, state, request.unique(), result);
        // ENOENT: the caller was killed meanwhile. ENODEV: the mount is gone, the next read says so too.
        if (request.kept) {
            operations.answered(request);
        }
        if (sent < 0 && sent != -LinuxCalls.ENOENT && sent != -LinuxCalls.ENODEV) {
            LOG.error("answer {} to operation {} was refused with errno {}", result, request.opcode(), -sent);
            answer.send(device, state, request.unique(), -LinuxErrno.EIO);
        }
    }

    private int failure(int errno) {
        return KernelOpcode.isAnswered(request.opcode()) ? errno : SILENT;
    }

    private int dispatch() {
        return switch (request.opcode()) {
            case KernelOpcode.LOOKUP -> nodes.lookup();
            case KernelOpcode.GETATTR -> nodes.getattr();
            case KernelOpcode.SETATTR -> nodes.setattr();
            case KernelOpcode.READLINK -> nodes.readlink();
            case KernelOpcode.SYMLINK -> nodes.symlink();
            case KernelOpcode.MKNOD -> nodes.mknod();
            case KernelOpcode.MKDIR -> nodes.mkdir();
            case KernelOpcode.UNLINK -> nodes.unlink();
            case KernelOpcode.RMDIR -> nodes.rmdir();
            case KernelOpcode.RENAME -> nodes.rename();
            case KernelOpcode.RENAME2 -> nodes.rename2();
            case KernelOpcode.LINK -> nodes.link();
            case KernelOpcode.STATFS -> nodes.statfs();
            case KernelOpcode.SETXATTR -> nodes.setxattr();
            case KernelOpcode.GETXATTR -> nodes.getxattr();
            case KernelOpcode.LISTXATTR -> nodes.listxattr();
            case KernelOpcode.REMOVEXATTR -> nodes.removexattr();
            case KernelOpcode.ACCESS -> nodes.access();
            case KernelOpcode.OPEN -> files.open();
            case KernelOpcode.CREATE -> files.create();
            case KernelOpcode.READ -> files.read();
            case KernelOpcode.WRITE -> files.write();
            case KernelOpcode.FLUSH -> files.flush();
            case KernelOpcode.RELEASE -> files.release();
            case KernelOpcode.FSYNC -> files.fsync();
            case KernelOpcode.OPENDIR -> files.opendir();
            case KernelOpcode.READDIR -> files.readdir();
            case KernelOpcode.READDIRPLUS -> files.readdirplus();
            case KernelOpcode.RELEASEDIR -> files.releasedir();
            case KernelOpcode.FSYNCDIR -> files.fsyncdir();
            case KernelOpcode.GETLK -> files.getlk();
            case KernelOpcode.SETLK -> setlk();
            case KernelOpcode.FALLOCATE -> files.fallocate();
            case KernelOpcode.LSEEK -> files.lseek();
            case KernelOpcode.COPY_FILE_RANGE -> files.copyFileRange();
            case KernelOpcode.COPY_FILE_RANGE_64 -> files.copyFileRange64();
            case KernelOpcode.SYNCFS -> operations.syncfs(request);
            case KernelOpcode.TMPFILE -> files.tmpfile();
            case KernelOpcode.STATX -> nodes.statx();
            case KernelOpcode.DESTROY -> 0;
            default -> dispatchUnanswered();
        };
    }

    private int setlk() {
        int result = files.setlk();
        if (result == 0 && request.dropsPages) {
            return later(LockWait.Rest.PAGES);
        }
        if (result == -LinuxErrno.EAGAIN && LockWait.isFlock(request)) {
            return later(LockWait.Rest.CLOSE);
        }
        return result;
    }

    private int later(LockWait.Rest rest) {
        pool.waitFor(new LockWait(operations, inFlight, faults, device, request, rest));
        return SILENT;
    }

    private int dispatchUnanswered() {
        switch (request.opcode()) {
            case KernelOpcode.FORGET -> nodes.forget();
            case KernelOpcode.BATCH_FORGET -> nodes.batchForget();
            case KernelOpcode.SETLKW -> later(LockWait.Rest.WAIT);
            case KernelOpcode.INTERRUPT -> {
                if (!inFlight.interrupt(request.int64(0))) {
                    // It may have been read by a thread that has not noted it yet: the kernel then asks again.
                    LockSupport.parkNanos(RETRY_NANOS);
                    return -LinuxErrno.EAGAIN;
                }
            }
            case KernelOpcode.NOTIFY_REPLY -> {
                // Nobody here asks the kernel for data, so this is nobody's answer.
            }
            // POLL among them: the kernel then takes files for always ready. IOCTL becomes ENOTTY.
            default -> {
                return -LinuxErrno.ENOSYS;
            }
        }
        return SILENT;
    }
}
