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

    /**
     * How often a bounded wait asks, at least. It is counted in pauses and not by the clock, so on a machine under load it is longer, as is
     * what it waits for.
     */
    private static final int LOOKS_MIN = 50;

    private final Metadata metadata;
    private final HeldLocks held;
    private final LockWaits waits;
    private final OwnerTurns turns;

    Locks(Metadata metadata, HeldLocks held) {
        this.metadata = metadata;
        this.held = held;
        this.waits = new LockWaits(held);
        this.turns = new OwnerTurns(metadata.links);
    }

    /**
     * Sets or clears a lock of an open file.
     *
     * @param waitNanosMax for others to give theirs up
     * @throws FsException EAGAIN; EDEADLK, EINTR of a wait; EBADF if the file was released meanwhile: then nothing is held
     */
    void lock(OpenFile file, LockSpec spec, long waitNanosMax) throws FsException {
        if (spec.type() != LockSpec.TYPE_UNLOCK) {
            file.locking();
        }
        if (isGranted(file, spec)) {
            return;
        }
        if (spec.kind() == LockSpec.Kind.FLOCK && held.holds(file.ino(), spec.owner(), FLAG_FLOCK)) {
            // A conversion that has to wait gives up the old lock, as Linux does: two that both hold a shared lock
            // would wait for each other. And one of the two has it then, also if neither waits: hence another look.
            isGranted(file, spec.unlocked());
            if (isGranted(file, spec)) {
                return;
            }
        }
        if (waitNanosMax == 0) {
            throw new FsException(Errno.EAGAIN);
        }
        await(file, spec, waitNanosMax);
    }

    /** Whether a lock of this type would make less of what its owner holds. */
    boolean givesUp(long ino, LockSpec spec) {
        return held.holdsMore(ino, spec, flagsOf(spec.kind()));
    }

    /** Asks the home once, and follows what it has granted. */
    private boolean isGranted(OpenFile file, LockSpec spec) throws FsException {
        return turns.take(file.ino(), spec.owner(), flagsOf(spec.kind()), () -> {
            if (!change(file, spec)) {
                return false;
            }
            if (spec.type() != LockSpec.TYPE_UNLOCK && file.isReleased()) {
                // Who has released it may have looked for its locks before this one was there.
                change(file, spec.unlocked());
                throw new FsException(Errno.EBADF);
            }
            return true;
        });
    }

    /** In a turn of the owner. */
    private boolean change(OpenFile file, LockSpec spec) throws FsException {
        if (ask(file.ino(), spec, 0) != null) {
            return false;
        }
        held.apply(
                new HeldLock(
                        file.ino(),
                        spec.owner(),
                        spec.start(),
                        spec.end(),
                        spec.type(),
                        flagsOf(spec.kind()),
                        spec.pid()),
                file);
        return true;
    }

    private void await(OpenFile file, LockSpec spec, long waitNanosMax) throws FsException {
        boolean findsCircles = spec.kind() == LockSpec.Kind.POSIX;
        long pauseMax = Math.clamp(waitNanosMax / LOOKS_MIN, PAUSE_NANOS_MIN, PAUSE_NANOS_MAX);
        try {
            long left = waitNanosMax;
            long pause = PAUSE_NANOS_MIN;
            while (left > 0) {
                if (findsCircles) {
                    waits.waiting(file.ino(), spec);
                }
                pause = Math.min(left, pause);
                LockSupport.parkNanos(pause);
                if (Thread.interrupted()) {
                    throw new FsException(Errno.EINTR);
                }
                if (isGranted(file, spec)) {
                    return;
                }
                left -= pause;
                pause = Math.min(pauseMax, pause * 2);
            }
            throw new FsException(Errno.EAGAIN);
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

    /** Drops all POSIX locks of a process on an inode, if it has any. */
    void dropPosix(OpenFile file, long owner) throws FsException {
        if (held.holds(file.ino(), owner, 0)) {
            isGranted(file, LockSpec.posix(LockSpec.TYPE_UNLOCK, owner, 0, LockSpec.TO_END, 0));
        }
    }

    /** Drops what was locked by an open file that is released; not what its owners have locked anew by others. */
    void dropAll(OpenFile file) throws FsException {
        for (HeldLock seen : held.by(file)) {
            turns.take(seen.ino(), seen.owner(), seen.flags(), () -> {
                for (HeldLock mine : held.by(file)) {
                    if (mine.owner() == seen.owner() && mine.flags() == seen.flags()) {
                        change(file, unlockOf(mine));
                    }
                }
                return null;
            });
        }
    }

    private static LockSpec unlockOf(HeldLock lock) {
        LockSpec.Kind kind = lock.flags() == FLAG_FLOCK ? LockSpec.Kind.FLOCK : LockSpec.Kind.POSIX;
        return new LockSpec(kind, LockSpec.TYPE_UNLOCK, lock.owner(), lock.start(), lock.end(), 0);
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
