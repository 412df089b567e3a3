package org.octofs.fuse.fuse;

/**
 * Who asks. Credentials are those of the process whose system call caused the request (0 for the kernel's own requests, such
 * as write-back).
 *
 * <p>Threading: confined to the thread that serves the request, but for {@link #interrupted()}.
 */
public abstract class RequestContext {
    public int uid;
    public int gid;
    public int pid;
    /**
     * Of the caller, with requests that make something: the permissions to be withheld unless the directory says otherwise.
     * Zero, or applied to the mode already, where the kernel does it.
     */
    public int umask;

    /** Set by an operation whose answer lets the kernel keep something: it wants to hear when the kernel has it. */
    public boolean kept;

    /**
     * Set by an operation that has succeeded, but must not be answered before {@link FuseOperations#dropPages} has returned, called by a thread
     * that serves no requests: the kernel may wait there for the answers to others.
     */
    public boolean dropsPages;

    /** True once the caller got a signal and no longer wants to wait; asked by operations that block. */
    public abstract boolean interrupted();
}
