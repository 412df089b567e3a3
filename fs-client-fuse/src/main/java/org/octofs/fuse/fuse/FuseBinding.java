package org.octofs.fuse.fuse;

import java.io.IOException;

/**
 * One mount: carries requests of the kernel to {@link FuseOperations} and the answers back.
 *
 * <p>Order: {@link #mount}, {@link #run} on any one thread, {@link #unmount} from another (or by anybody's umount), then
 * {@link #close}.
 * Threading:  {@code unmount} and the invalidations may be called from any thread; the rest from one.
 * Ownership:  owns the session, its descriptor, its threads and its buffers until {@code close}.
 */
public interface FuseBinding extends AutoCloseable {

    /** Short name as in {@code -o binding=}. */
    String name();

    /**
     * Mounts. When it returns, the directory is in the mount table; requests wait until {@link #run}.
     *
     * @throws IOException with words for the user if it cannot be mounted; nothing is then left mounted
     */
    void mount(MountParameters parameters, FuseOperations operations) throws IOException;

    /** Serves requests until the directory is unmounted, by whomever; answers in progress are finished. */
    void run() throws InterruptedException;

    /**
     * Takes the directory out of the mount table.
     *
     * @param lazily also if it is in use: then the users' descriptors work until they are closed, if the process lives
     * @throws IOException with words for the user, in particular if it is in use
     */
    void unmount(boolean lazily) throws IOException;

    /** Makes the kernel forget a name; false if it knew none or the binding cannot. Never call it from within an operation. */
    boolean invalidateEntry(long parent, byte[] name);

    /**
     * Makes the kernel look a name up again before it uses it again, or forget it; false if it knew none or the binding cannot. Never
     * call it from within an operation.
     */
    boolean expireEntry(long parent, byte[] name);

    /** Makes the kernel forget attributes and, for {@code length} bytes (0: all behind offset), cached pages. */
    boolean invalidateInode(long inode, long offset, long length);

    /** Frees everything; unmounts lazily first if still mounted. May be called twice. */
    @Override
    void close();
}
