package org.octofs.rpc.fabric.tcp;

import org.octofs.rpc.fabric.WorkKind;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;

/**
 * The posted requests of one connection that are not complete, oldest first. They complete in this order.
 *
 * <p>Threading: its monitor; requests are completed outside of it by the thread that reads the socket.
 */
final class Outstanding {
    private WorkRequest oldest;
    private WorkRequest newest;
    private int postedCount;
    private int doneCount;

    synchronized void add(WorkRequest request) {
        request.next(null);
        if (newest == null) {
            oldest = request;
        } else {
            newest.next(request);
        }
        newest = request;
        postedCount++;
    }

    synchronized boolean isEmpty() {
        return oldest == null;
    }

    synchronized boolean isNewest(WorkRequest request) {
        return newest == request;
    }

    /** The oldest one, or null. */
    synchronized WorkRequest oldest() {
        return oldest;
    }

    /**
     * The peer has completed so many of our requests since the start.
     *
     * @return requests completed here, or -1 if that cannot be: more than posted, or a READ without its data
     */
    int completeUpTo(int newDoneCount) {
        int completed = 0;
        while (true) {
            WorkRequest request;
            synchronized (this) {
                int missing = newDoneCount - doneCount;
                if (missing == 0) {
                    return completed;
                }
                if (missing < 0 || missing > postedCount - doneCount || oldest.kind() == WorkKind.READ) {
                    return -1;
                }
                request = removeOldest();
            }
            request.complete(WorkStatus.SUCCESS);
            completed++;
        }
    }

    /** The oldest one is done. */
    void completeOldest(WorkStatus outcome) {
        WorkRequest request;
        synchronized (this) {
            request = removeOldest();
        }
        request.complete(outcome);
    }

    /** All are done. */
    void failAll() {
        while (true) {
            WorkRequest request;
            synchronized (this) {
                if (oldest == null) {
                    return;
                }
                request = removeOldest();
            }
            request.complete(WorkStatus.CONNECTION_FAILED);
        }
    }

    private WorkRequest removeOldest() {
        WorkRequest request = oldest;
        oldest = request.next();
        if (oldest == null) {
            newest = null;
        }
        // From its completion on the request is its owner's again.
        request.next(null);
        doneCount++;
        return request;
    }
}
