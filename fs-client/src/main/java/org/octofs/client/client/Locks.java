package org.octofs.client.client;

import java.util.concurrent.locks.LockSupport;
import org.octofs.client.link.ReclaimSource.HeldLock;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.LockReply;
import org.octofs.rpc.protocol.message.LockRequest;

/** Advisory locks. The home never waits; whoever wants to wait asks again. Thread-safe. */
final class Locks {
    /** Of LOCK: flock, not POSIX. */
    private static final int FLAG_FLOCK = 1;

    /** Of LOCK: test only. */
    private static final int FLAG_TEST = 2;

    private static final long PAUSE_NANOS_MIN = 500_000;
    private static final long PAUSE_NANOS_MAX = 50_000_000;
    private static final long CLOSE_PAUSE_NANOS_MAX = 8_000_000;

    private final Metadata metadata;
    private final HeldLocks held;
    private final LockWaits waits;

    Locks(Metadata metadata, HeldLocks held) {
        this.metadata = metadata;
        this.held = held;
        this.waits = new LockWaits(held);
    }

    void lock(long ino, LockSpec spec, boolean wait) throws FsException {
        if (ask(ino, spec, 0) != null) {
            if (wait) {
                await(ino, spec);
            } else if (!isFreedByClose(ino, spec)) {
                throw new FsException(Errno.EAGAIN);
            }
        }
        held.apply(new HeldLock(
                ino, spec.owner(), spec.start(), spec.end(), spec.type(), flagsOf(spec.kind()), spec.pid()));
    }

    /**
     * A flock ends with the last close of its open file, which whoever closed it has seen return before we were told. So one
     * that another handle of this client holds gets a moment to go.
     *
     * @return whether the lock is held now
     */
    private boolean isFreedByClose(long ino, LockSpec spec) throws FsException {
        if (spec.kind() != LockSpec.Kind.FLOCK) {
            return false;
        }
        for (long pause = PAUSE_NANOS_MIN; pause <= CLOSE_PAUSE_NANOS_MAX; pause *= 2) {
            if (!held.othersHold(ino, spec.owner(), FLAG_FLOCK)) {
                break;
            }
            LockSupport.parkNanos(pause);
        }
        return !held.othersHold(ino, spec.owner(), FLAG_FLOCK) && ask(ino, spec, 0) == null;
    }

    private void await(long ino, LockSpec spec) throws FsException {
        boolean findsCircles = spec.kind() == LockSpec.Kind.POSIX;
        try {
            long pause = PAUSE_NANOS_MIN;
            do {
                if (findsCircles) {
                    waits.waiting(ino, spec);
                }
                LockSupport.parkNanos(pause);
                if (Thread.interrupted()) {
                    throw new FsException(Errno.EINTR);
                }
                pause = Math.min(PAUSE_NANOS_MAX, pause * 2);
            } while (ask(ino, spec, 0) != null);
        } finally {
            if (findsCircles) {
                waits.done(spec);
            }
        }
    }

    LockSpec test(long ino, LockSpec spec) throws FsException {
        LockSpec conflict = ask(ino, spec, FLAG_TEST);
        return conflict != null
                ? conflict
                : new LockSpec(spec.kind(), LockSpec.TYPE_UNLOCK, spec.owner(), spec.start(), spec.end(), spec.pid());
    }

    /** Drops all locks of an owner on an inode, if it has any. */
    void drop(long ino, LockSpec.Kind kind, long owner) throws FsException {
        if (held.holds(ino, owner, flagsOf(kind))) {
            lock(ino, new LockSpec(kind, LockSpec.TYPE_UNLOCK, owner, 0, LockSpec.TO_END, 0), false);
        }
    }

    private static int flagsOf(LockSpec.Kind kind) {
        return kind == LockSpec.Kind.FLOCK ? FLAG_FLOCK : 0;
    }

    /** Null if granted (or, testing, if nothing is in the way), else what is in the way. */
    private LockSpec ask(long ino, LockSpec spec, int flags) throws FsException {
        LockSpec[] conflict = new LockSpec[1];
        metadata.links.call(
                metadata.links.home(ino),
                OpCode.LOCK,
                LockRequest.FIXED_BYTES,
                metadata.links.deadline(),
                body -> new LockRequest()
                        .wrap(body)
                        .ino(ino)
                        .owner(spec.owner())
                        .start(spec.start())
                        .end(spec.end())
                        .type(spec.type())
                        .flags(flags | flagsOf(spec.kind()))
                        .pid(spec.pid())
                        .reserved(0)
                        .bodyBytes(),
                (status, body) -> {
                    if (status != Errno.EAGAIN.value) {
                        Metadata.check(status, "LOCK of inode " + ino);
                        if ((flags & FLAG_TEST) == 0) {
                            return;
                        }
                    }
                    LockReply reply = new LockReply().wrap(body);
                    if (reply.type() != LockSpec.TYPE_UNLOCK) {
                        conflict[0] =
                                new LockSpec(spec.kind(), reply.type(), 0, reply.start(), reply.end(), reply.pid());
                    }
                });
        return conflict[0];
    }
}
