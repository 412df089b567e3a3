package org.octofs.fuse.fuse;

import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records what an application sees as an errno that says too little: all are counted, the first and then ever fewer are logged.
 *
 * <p>Thread-safe.
 */
public final class FaultLog {
    private static final Logger LOG = LoggerFactory.getLogger(FaultLog.class);
    private static final int ALL_UP_TO = 16;

    private final AtomicLong count = new AtomicLong();
    private final AtomicLong refusals = new AtomicLong();

    /** A fault of ours; answered EIO. */
    public void record(String operation, long inode, Throwable fault) {
        long number = count.incrementAndGet();
        if (isLogged(number)) {
            LOG.error(
                    "{} of inode {} failed and was answered EIO (fault {} of this mount)",
                    operation,
                    inode,
                    number,
                    fault);
        }
    }

    /** A request that makes no sense; answered EINVAL, if at all. */
    public void refuse(String reason) {
        long number = refusals.incrementAndGet();
        if (isLogged(number)) {
            LOG.warn("a request was refused ({} of this mount): {}", number, reason);
        }
    }

    private static boolean isLogged(long number) {
        return number <= ALL_UP_TO || Long.bitCount(number) == 1;
    }

    /** Faults so far. */
    public long count() {
        return count.get();
    }
}
