package org.octofs.fuse.fuse;

import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records faults that an application sees as EIO only: all are counted, the first and then ever fewer are logged. */
final class FaultLog {
    private static final Logger LOG = LoggerFactory.getLogger(FaultLog.class);
    private static final int ALL_UP_TO = 16;

    private final AtomicLong count = new AtomicLong();

    void record(String operation, long inode, Throwable fault) {
        long number = count.incrementAndGet();
        if (number <= ALL_UP_TO || Long.bitCount(number) == 1) {
            LOG.error(
                    "{} of inode {} failed and was answered EIO (fault {} of this mount)",
                    operation,
                    inode,
                    number,
                    fault);
        }
    }

    long count() {
        return count.get();
    }
}
