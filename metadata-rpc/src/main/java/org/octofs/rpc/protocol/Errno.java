package org.octofs.rpc.protocol;

/**
 * Outcomes of file system operations, with the numbers of Linux (x86 and ARM), plus a few of our own above
 * {@value #OWN_FIRST}, which travel between our processes and never reach an application.
 *
 * <p>The number is the status on the wire and, negated, the answer to the kernel. An outcome is <em>retryable</em> when the
 * same operation, unchanged but under a new request id, can succeed a little later through no doing of the application:
 * our client retries it within its deadline instead of handing it up.
 */
public enum Errno {
    /** Success; the status of a reply that carries a result. */
    OK(0),
    /** Operation not permitted. */
    EPERM(1),
    /** No such file or directory. */
    ENOENT(2),
    /** Interrupted system call. */
    EINTR(4),
    /** Input/output error. */
    EIO(5),
    /** No such device or address. */
    ENXIO(6),
    /** Argument list too long. */
    E2BIG(7),
    /** Bad file descriptor. */
    EBADF(9),
    /** Resource temporarily unavailable. */
    EAGAIN(11),
    /** Cannot allocate memory. */
    ENOMEM(12),
    /** Permission denied. */
    EACCES(13),
    /** Bad address. */
    EFAULT(14),
    /** Device or resource busy. */
    EBUSY(16),
    /** File exists. */
    EEXIST(17),
    /** Invalid cross-device link. */
    EXDEV(18),
    /** No such device. */
    ENODEV(19),
    /** Not a directory. */
    ENOTDIR(20),
    /** Is a directory. */
    EISDIR(21),
    /** Invalid argument. */
    EINVAL(22),
    /** Too many open files in system. */
    ENFILE(23),
    /** Too many open files. */
    EMFILE(24),
    /** Inappropriate ioctl for device. */
    ENOTTY(25),
    /** Text file busy. */
    ETXTBSY(26),
    /** File too large. */
    EFBIG(27),
    /** No space left on device. */
    ENOSPC(28),
    /** Illegal seek. */
    ESPIPE(29),
    /** Read-only file system. */
    EROFS(30),
    /** Too many links. */
    EMLINK(31),
    /** Broken pipe. */
    EPIPE(32),
    /** Numerical argument out of domain. */
    EDOM(33),
    /** Numerical result out of range. */
    ERANGE(34),
    /** Resource deadlock avoided. */
    EDEADLK(35),
    /** File name too long. */
    ENAMETOOLONG(36),
    /** No locks available. */
    ENOLCK(37),
    /** Function not implemented. */
    ENOSYS(38),
    /** Directory not empty. */
    ENOTEMPTY(39),
    /** Too many levels of symbolic links. */
    ELOOP(40),
    /** No data available. */
    ENODATA(61),
    /** Timer expired. */
    ETIME(62),
    /** Communication error on send. */
    ECOMM(70),
    /** Protocol error. */
    EPROTO(71),
    /** Bad message. */
    EBADMSG(74),
    /** Value too large for defined data type. */
    EOVERFLOW(75),
    /** Structure needs cleaning. */
    EUCLEAN(117),
    /** Operation not supported. */
    EOPNOTSUPP(95),
    /** Connection reset by peer. */
    ECONNRESET(104),
    /** Transport endpoint is not connected. */
    ENOTCONN(107),
    /** Cannot send after transport endpoint shutdown. */
    ESHUTDOWN(108),
    /** Connection timed out. */
    ETIMEDOUT(110),
    /** Connection refused. */
    ECONNREFUSED(111),
    /** Host is down. */
    EHOSTDOWN(112),
    /** No route to host. */
    EHOSTUNREACH(113),
    /** Operation already in progress. */
    EALREADY(114),
    /** Stale file handle. */
    ESTALE(116),
    /** Disk quota exceeded. */
    EDQUOT(122),
    /** Operation canceled. */
    ECANCELED(125),
    /** Owner died. */
    EOWNERDEAD(130),
    /** State not recoverable. */
    ENOTRECOVERABLE(131),
    /** The request names an older cluster map than the server's; fetch the map (the reply has its epoch), ask again. */
    ESTALE_EPOCH(1001),
    /** The asked server is not the home of the object (any more); look the home up in a fresh map. */
    ENOT_HOME(1002),
    /** The object changed under an optimistic commit; refresh it and build the commit anew. */
    ECONFLICT(1003),
    /** The caller's session has ended (its lease ran out and its locks are gone); open a new one. */
    ESESSION_ENDED(1004),
    /** The server is starting, recovering or stopping, and will be back. */
    ENOT_READY(1005),
    /** A transaction holds the object; ask again in a moment. */
    ELOCKED(1006),
    /** The caller's reservation of blocks does not cover what it commits; reserve and push again. */
    ERESERVATION(1007);

    /** First number that is ours and not the kernel's. */
    public static final int OWN_FIRST = 1000;

    /** What xattr calls name it; the same number as {@link #ENODATA}. */
    public static final Errno ENOATTR = ENODATA;

    /** The same number as {@link #EAGAIN} on Linux. */
    public static final Errno EWOULDBLOCK = EAGAIN;

    /** The same number as {@link #EOPNOTSUPP} on Linux. */
    public static final Errno ENOTSUP = EOPNOTSUPP;

    private static final Errno[] BY_VALUE = byValue();

    /** The number, 0 for success, else positive. */
    public final int value;

    Errno(int value) {
        this.value = value;
    }

    /**
     * The outcome with a given number.
     *
     * @return the outcome; {@link #EIO} for a number that we do not know, since its sender failed in some way
     */
    public static Errno of(int value) {
        Errno known = value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
        return known == null ? EIO : known;
    }

    /** True for {@link #OK}. */
    public boolean isSuccess() {
        return this == OK;
    }

    /** True if the same operation can succeed a little later, see the class comment. */
    public boolean isRetryable() {
        return switch (this) {
            case ESTALE_EPOCH, ENOT_HOME, ECONFLICT, ENOT_READY, ELOCKED, ERESERVATION -> true;
            default -> false;
        };
    }

    /** True if the number means something to an application, false for those between our own processes. */
    public boolean isForApplications() {
        return value < OWN_FIRST;
    }

    private static Errno[] byValue() {
        int largest = 0;
        for (Errno e : values()) {
            largest = Math.max(largest, e.value);
        }
        Errno[] table = new Errno[largest + 1];
        for (Errno e : values()) {
            table[e.value] = e;
        }
        return table;
    }
}
