package org.octofs.fuse.fuse;

import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.rpc.protocol.Errno;

/**
 * The one way from what was thrown to an answer, with what depends on it that the kernel names inodes by number: what others
 * have removed since it looked a name up is for a program as it is on a local file system, where nobody gets ESTALE for a path.
 *
 * <p>Thread-safe.
 */
final class Answers {
    private final FsClient client;
    private final AdapterPolicy policy;
    private final RemovedDirectories removed;
    private final SecondWalks walks;
    private final FaultLog faults = new FaultLog();

    Answers(FsClient client, AdapterPolicy policy, RemovedDirectories removed) {
        this.client = client;
        this.policy = policy;
        this.removed = removed;
        walks = new SecondWalks(client.config().clock());
    }

    long faultCount() {
        return faults.count();
    }

    /** A task's look-up has found something. */
    void found(RequestContext context, long parent, byte[] name, Attributes attributes) {
        walks.found(context.pid, parent, name, attributes);
    }

    /** Of an operation on something that is open. */
    int of(String operation, long inode, Throwable thrown) {
        if (thrown instanceof FsException e) {
            return e.errno().isForApplications() ? -e.errno().value : -Errno.EIO.value;
        }
        faults.record(operation, inode, thrown);
        return -Errno.EIO.value;
    }

    /** Of a listing: a directory that others have removed has no entries any more, which C libraries take for the end. */
    int ofListing(String operation, long inode, Throwable thrown) {
        return isGone(thrown) ? -Errno.ENOENT.value : of(operation, inode, thrown);
    }

    /** Of an operation on an inode that the kernel named by number: one that is gone is stale. */
    int ofInode(RequestContext context, String operation, long inode, Throwable thrown) {
        if (!isGone(thrown)) {
            return of(operation, inode, thrown);
        }
        SecondWalks.Step step = walks.find(context.pid, inode);
        if (step != null && isAbsent(step)) {
            return -Errno.ENOENT.value;
        }
        // The kernel resolves the path once more after ESTALE, and then gets ENOENT, or the file that has the name now.
        return stale(context);
    }

    /**
     * What an inode was like that the task has found while it resolved a path for the second time, if that is gone: on a local
     * file system it would be there still, without a name.
     *
     * @return null if this is not the case
     */
    Attributes lastOf(RequestContext context, long inode, Throwable thrown) {
        SecondWalks.Step step = isGone(thrown) ? walks.find(context.pid, inode) : null;
        return step == null ? null : step.found;
    }

    /** Of an operation on a name in a directory. */
    int ofName(RequestContext context, String operation, long parent, Throwable thrown) {
        int answer = of(operation, parent, thrown);
        if (answer != -Errno.ESTALE.value) {
            return answer;
        }
        // Where the kernel keeps no names it has just looked the directory up, or it works in it: there is nothing to
        // resolve anew.
        boolean known =
                policy.timeoutSeconds() == 0 || removed.contains(parent) || walks.find(context.pid, parent) != null;
        return known ? -Errno.ENOENT.value : stale(context);
    }

    /** Has the kernel resolve the path once more. */
    int stale(RequestContext context) {
        walks.begin(context.pid);
        return -Errno.ESTALE.value;
    }

    static boolean isGone(Throwable thrown) {
        return thrown instanceof FsException e && (e.errno() == Errno.ENOENT || e.errno() == Errno.ESTALE);
    }

    private boolean isAbsent(SecondWalks.Step step) {
        try {
            client.lookup(step.parent, step.name, new Attributes());
            return false;
        } catch (FsException e) {
            return isGone(e) || e.errno() == Errno.ENOTDIR;
        }
    }
}
